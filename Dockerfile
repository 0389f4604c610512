# Builds the gateway and runs it without root, on a file system that may be
# read-only but for /data and /tmp:
#   docker build -t allrows . && docker run --read-only --tmpfs /tmp -v allrows:/data -p 127.0.0.1:8080:8080 allrows
# Inside a container the server can be reached from outside it, so it wants an
# API key: docker run --rm -v allrows:/data allrows key create NAME
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /gateway ./cmd/gateway && mkdir -p /empty/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /gateway /usr/local/bin/gateway
COPY --from=build --chown=nonroot:nonroot /empty/data /data
USER nonroot
ENV ALLROWS_DATA=/data ALLROWS_SERVER_LISTEN=:8080 ALLROWS_LOG_FORMAT=json
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/local/bin/gateway", "health"]
ENTRYPOINT ["/usr/local/bin/gateway"]
CMD ["serve"]
