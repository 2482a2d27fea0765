#!/bin/sh
# A result that is too large for a model: a tool returns a link, and a program that knows nothing of
# the protocol downloads it in ranges with curl, and checks the media type and the size.
#
#     cargo install --path apps/cli
#     apps/cli/demo/download.sh
#
# Needs curl and OpenSSL. The variable MCP may name another program than `mcp`.
set -eu
mcp=${MCP:-mcp}
folder=$(mktemp -d)
server=
trap 'if [ "$server" ]; then kill "$server"; fi; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"

echo '== a server with a tool `export`, and a certificate for its URLs'
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=mock \
    -keyout key.pem -out certificate.pem -addext basicConstraints=critical,CA:FALSE \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>openssl.log || { cat openssl.log; exit 1; }
"$mcp" mock --proposals --listen 127.0.0.1:0 --tls-cert certificate.pem --tls-key key.pem \
    --report report.jsonl 2>address &
server=$!
until grep '^https://' address; do
    kill -0 "$server" 2>/dev/null || { cat address; server=; exit 1; }
    sleep 0.1
done
address=$(grep '^https://' address)

echo '== the host calls the tool, and gets a link'
link=$("$mcp" call "$address" export --json --cacert certificate.pem |
    grep -o '{"type":"resource_link"[^}]*}')
member() {
    echo "$link" | sed "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/"
}
url=$(member httpUrl)
size=$(member size)
type=$(member mimeType)
echo "$size bytes, $type, valid until $(member httpUrlExpiresAt)"

echo '== a program in an empty environment downloads the link'
mkdir sandbox
cp certificate.pem sandbox
cat >sandbox/download.sh <<'END'
set -eu
url=$1 size=$2 type=$3 part=32768 start=0
# The other ranges have to be of the same version as the first one.
etag=$(curl -fsS --cacert certificate.pem -I "$url" | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
while [ "$start" -lt "$size" ]; do
    got=$(curl -fsS --cacert certificate.pem -r "$start-$((start + part - 1))" \
        -H "If-Range: $etag" -o part -w '%{http_code} %{content_type}' "$url")
    echo "from $start: $got, $(wc -c <part) bytes"
    case $got in
    "206 $type" | "206 $type;"*) cat part >>table.csv ;;
    *) exit 1 ;;
    esac
    start=$((start + part))
done
[ "$(wc -c <table.csv)" -eq "$size" ]
awk -F, 'NR > 1 { sum += $2 } END { printf "%d rows, the sum of the squares is %.0f\n", NR - 1, sum }' \
    table.csv
END
(cd sandbox && env -i PATH="$PATH" sh download.sh "$url" "$size" "$type")

echo '== the protocol has the same contents'
"$mcp" read "$address" mock://export --cacert certificate.pem | cmp - sandbox/table.csv

echo '== what the server saw'
cat report.jsonl
! grep -q violation report.jsonl
