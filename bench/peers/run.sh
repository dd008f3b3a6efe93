#!/usr/bin/env bash
# Runs the same turn by every peer and by the product, and prints a table in Markdown. See README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

export CGO_ENABLED=${CGO_ENABLED:-0} GOFLAGS="${GOFLAGS:--trimpath -tags=nomsgpack}"
export BENCH_SECONDS=${BENCH_SECONDS:-10} BENCH_WARM_UP=${BENCH_WARM_UP:-3}
port=${BENCH_PORT:-18080} rounds=${BENCH_ROUNDS:-2} people=${BENCH_PEOPLE:-1000}
export BENCH_ENDPOINT="http://127.0.0.1:$port/v1"
peers=(${BENCH_PEERS:-sqlite postgres eino vercel-ai openai-agents langgraph})

test -x bin/countersign || { echo "bin/countersign is missing; build it with: make build" >&2; exit 1; }
go build -o bin/peers/ ./bench/peers/... ./internal/cmd/testenv
(cd "$here/eino" && go build -o ../../../bin/peers/eino .)
test -d "$here/node_modules" || (cd "$here" && npm ci --no-audit --no-fund >&2)

results=$(mktemp)
bin/peers/endpoint -addr "127.0.0.1:$port" & endpoint=$!
trap 'kill $endpoint 2>/dev/null || true; rm -f "$results"' EXIT
until (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 $endpoint 2>/dev/null || { echo "the endpoint does not run; set BENCH_PORT to a free port" >&2; exit 1; }
  sleep 0.1
done

product() { bin/peers/countersign -endpoint "$BENCH_ENDPOINT" -people "$people" -duration "${BENCH_SECONDS}s" -warm-up "${BENCH_WARM_UP}s" "$@"; }

one() {
  case $1 in
    sqlite) product ;;
    postgres) on_postgres ;;
    eino) bin/peers/eino ;;
    *) node "$here/$1.mjs" ;;
  esac
}

# Without a database of your own, a private cluster that writes without waiting for the disk.
on_postgres() {
  if [ -n "${BENCH_POSTGRES:-}" ]; then product -database "$BENCH_POSTGRES"; return; fi
  export -f product; export people
  bin/peers/testenv -- bash -c 'product -database "${COUNTERSIGN_TEST_POSTGRES:?install PostgreSQL}"'
}

# Every second round goes the other way, so that what comes and goes on the machine favours nobody.
for ((round = 1; round <= rounds; round++)); do
  for ((i = 0; i < ${#peers[@]}; i++)); do
    next=$((round % 2 ? i : ${#peers[@]} - 1 - i))
    echo "round $round: ${peers[next]}" >&2
    one "${peers[next]}" | tee -a "$results" >&2
  done
done
node "$here/table.mjs" <"$results"
