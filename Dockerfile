# The UI
FROM node:20-bookworm-slim AS ui
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

# The server, with the UI inside
FROM golang:1.26-bookworm AS server
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=ui /src/frontend/dist frontend/dist
RUN CGO_ENABLED=0 go build -trimpath -tags nomsgpack -ldflags "-s -w -X main.version=${VERSION}" -o /out/countersign ./cmd/countersign \
 && mkdir /out/data

# One static binary, what TLS and time zones need, and a place for data
FROM scratch
COPY --from=server /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=server /usr/share/zoneinfo /usr/share/zoneinfo
COPY --from=server --chown=65532:65532 /out/data /data
COPY --from=server /out/countersign /countersign
USER 65532:65532
ENV COUNTERSIGN_ADDR=0.0.0.0:8080 \
    COUNTERSIGN_DATA_DIR=/data
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["/countersign", "healthcheck"]
ENTRYPOINT ["/countersign"]
CMD ["serve"]
