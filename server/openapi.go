package server

import (
	_ "embed"
	"net/http"

	"github.com/labstack/echo/v4"
)

// OpenAPI is the description of the REST API, as /openapi.yaml serves it.
//
//go:embed openapi.yaml
var OpenAPI []byte

func getOpenAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, "application/yaml", OpenAPI)
}
