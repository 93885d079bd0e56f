# syntax=docker/dockerfile:1

# The version of go.mod; scripts/compose holds them together.
ARG GO_VERSION=1.26.8

FROM golang:${GO_VERSION} AS build
WORKDIR /src
# Modules first: they change less often than the sources, so the layer is kept.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=2.0
# Static, and the same bytes from the same sources: no paths, no build id, no state of the repository.
# Without inlining in the two largest dependencies, as in the Makefile: two megabytes less.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOTOOLCHAIN=local \
    go build -tags=nomsgpack -trimpath -buildvcs=false \
    -gcflags=github.com/elastic/go-elasticsearch/v8/esapi=-l -gcflags=github.com/redis/go-redis/v9=-l \
    -ldflags "-s -w -buildid= -X main.version=${VERSION}" -o /out/agentlore ./cmd/agentlore

# Nothing but the binary and the certificate authorities that an Elasticsearch behind TLS is checked against. It writes no
# file, so the root file system may be read-only.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/agentlore /agentlore
COPY LICENSE /LICENSE
# A number, so that an orchestrator can see that it is not root; scripts/compose/secrets.sh gives it its password.
USER 65532:65532
ENV AGENTLORE_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["/agentlore", "health", "--url", "http://127.0.0.1:8080"]
ENTRYPOINT ["/agentlore"]
CMD ["serve"]
