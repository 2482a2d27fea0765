#!/bin/sh
# The client scenarios with `mcp`, or the program in $MCP: client.sh URL
mcp=${MCP:-mcp}
url=$1
context() { node -p "JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).$1"; }

case $MCP_CONFORMANCE_SCENARIO in
resources-collections-client)
    "$mcp" resources "$url" &&
        "$mcp" tree "$url" test://collection &&
        "$mcp" read "$url" test://untyped &&
        "$mcp" read "$url" test://strange &&
        metadata=$("$mcp" metadata --json "$url" test://document) &&
        version=$(node -p "($metadata).resource.version") &&
        "$mcp" read --unless "$version" "$url" test://document
    [ $? -eq 8 ] # the resource is not modified
    ;;
resources-urls-client)
    for uri in $(context 'uris.join(" ")'); do
        "$mcp" fetch --allow-private --cacert "$(context caCertificatePath)" "$url" "$uri"
    done
    ;;
icons-client)
    "$mcp" check --proposals --allow-private --cacert "$(context caCertificatePath)" "$url"
    ;;
*)
    echo "unknown scenario: $MCP_CONFORMANCE_SCENARIO" >&2
    exit 2
    ;;
esac
