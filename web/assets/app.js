// The little that the page does by itself: keys, copying, the conversation's
// id, dropping files. Everything else is htmx and the server's own HTML.
"use strict";
(() => {
  const $ = (s) => document.querySelector(s);
  const question = $("#question"), conversation = $("#conversation"), again = $("[data-new]"), help = $("#help");

  document.addEventListener("click", (e) => {
    const copy = e.target.closest("[data-copy]");
    if (!copy) return;
    navigator.clipboard.writeText(copy.parentElement.querySelector("code").textContent).then(() => {
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    });
  });
  if (!question) return; // a page without the box

  // The element whose question is under way, so that it can be stopped.
  let asking = null;
  document.addEventListener("htmx:beforeRequest", (e) => { if (e.detail.target.id === "answers") asking = e.detail.elt; });
  document.addEventListener("htmx:afterRequest", (e) => { if (e.detail.elt === asking) asking = null; });
  const stop = () => { if (asking) htmx.trigger(asking, "htmx:abort"); };
  $("#ask button").addEventListener("click", (e) => {
    if (!asking) return;
    e.preventDefault();
    stop();
  });

  function goOn(id) {
    conversation.value = id;
    if (again) again.hidden = !id;
  }

  document.addEventListener("htmx:afterSwap", (e) => {
    if (e.target.id !== "answers") return;
    const first = $("#answers > article");
    if (!first) return;
    if (first.dataset.conversation) goOn(first.dataset.conversation);
    first.scrollIntoView({ block: "nearest" });
    question.select();
  });

  // A sample starts a conversation of its own; only the box and the choices go on.
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-new]")) {
      goOn("");
      question.value = "";
      question.focus();
    } else if (e.target.closest("[data-help]")) {
      help.showModal();
    }
  });

  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/" && !typing) {
      e.preventDefault();
      question.focus();
      question.select();
    } else if (e.key === "?" && !typing && !help.open) {
      help.showModal();
    } else if (e.key === "Escape" && !help.open) {
      if (asking) stop();
      else if (e.target === question) question.value = "";
    }
  });

  const file = $("#file"), drop = $(".drop");
  if (file && drop) {
    const name = drop.querySelector("span"), idle = name.textContent;
    const show = () => { name.textContent = [...file.files].map((f) => f.name).join(", ") || idle; };
    file.addEventListener("change", show);
    ["dragover", "dragleave", "drop"].forEach((kind) => drop.addEventListener(kind, (e) => {
      e.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && e.dataTransfer.files.length) {
        file.files = e.dataTransfer.files;
        show();
      }
    }));
    document.addEventListener("htmx:afterRequest", (e) => {
      if (e.target.classList.contains("upload") && e.detail.successful) { e.target.reset(); show(); }
    });
  }
})();
