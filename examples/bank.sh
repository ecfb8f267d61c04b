#!/bin/sh
# An example of a bank's back-end with curl, openssl and jq only: creates, reads and changes a cardholder, imports
# several, and reads events. It shows every step of a signed call (RFC 9421).
#
# Codes and PINs are sent as JWE with AES-GCM, which openssl's command line does not support: see bank.py for those.
# Keep a real bank's private key in a vault, not in a file.
#
#   sh examples/bank.sh URL SANDBOX_FOLDER
set -eu

if [ $# -ne 2 ]; then
    echo "usage: bank.sh URL SANDBOX_FOLDER" >&2
    exit 64
fi
. "$(dirname "$0")/overload.sh"
url=$1 sandbox=$2
bank=$(jq -r .bankId "$sandbox/sandbox.json")
key_id=$(jq -r .issuerKeyId "$sandbox/sandbox.json") # the ID of the issuer key, which the operator has registered
# The server's name is signed, in lower case and without the default port. So no other server takes the call.
authority=$(printf %s "$url" | tr '[:upper:]' '[:lower:]' | sed -E 's|^https://([^/]*):443$|\1|; s|^http://([^/]*):80$|\1|; s|^https?://||')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# call METHOD TARGET [MEDIA_TYPE BODY_FILE [CONDITION]]: sends a signed call. The answer is in $work/head and $work/answer.
call() {
    send_until_taken "$@"
    case $status in
    2??) echo "$method $path$query: $status" ;;
    # The problem has the failed check and the signature base.
    *) echo "$method $path$query: $(cat "$work/answer")" >&2 && exit 1 ;;
    esac
}

# send METHOD TARGET [MEDIA_TYPE BODY_FILE [CONDITION]]: signs a call and sends it. It is signed again for each attempt.
send() {
    method=$1 path=/v1/banks/$bank/${2%%\?*} query=${2#"${2%%\?*}"} type=${3-} body=${4-} header=${5-}

    # The signature covers method, server, path, the query if there is one, and the body's digest (RFC 9530).
    covered='"@method" "@authority" "@path"'
    base="\"@method\": $method
\"@authority\": $authority
\"@path\": $path"
    if [ -n "$query" ]; then
        covered="$covered \"@query\""
        base="$base
\"@query\": $query"
    fi
    if [ -n "$body" ]; then
        digest="sha-256=:$(openssl dgst -sha256 -binary "$body" | openssl base64 -A):"
        covered="$covered \"content-digest\""
        base="$base
\"content-digest\": $digest"
    fi

    # A condition is signed too: without it, the call would do something else.
    if [ -n "$header" ]; then
        name=$(printf %s "${header%%:*}" | tr '[:upper:]' '[:lower:]')
        covered="$covered \"$name\""
        base="$base
\"$name\": ${header#*: }"
    fi

    # The signature also covers the time and a nonce. The nonce can be used once, which prevents replay.
    parameters="($covered);created=$(date +%s);nonce=\"$(openssl rand -hex 16)\";keyid=\"$key_id\""
    printf '%s\n"@signature-params": %s' "$base" "$parameters" >"$work/base"
    openssl pkeyutl -sign -rawin -inkey "$sandbox/issuer-key.pem" -in "$work/base" -out "$work/signature"
    signature=$(openssl base64 -A -in "$work/signature")

    set -- -X "$method" -H "Signature-Input: sig=$parameters" -H "Signature: sig=:$signature:"
    [ -z "$header" ] || set -- "$@" -H "$header"
    [ -z "$body" ] || set -- "$@" -H "Content-Type: $type" -H "Content-Digest: $digest" --data-binary "@$body"
    status=$(curl -sS "$@" -D "$work/head" -o "$work/answer" -w '%{http_code}' "$url$path$query")
}

# PUT replaces the whole cardholder: this one removes an existing code and PIN.
echo '{"channels":["AC"],"freeField":"Your card ends in 4711"}' >"$work/cardholder"
call PUT cardholders/frank application/json "$work/cardholder"
call GET cardholders/frank
jq . "$work/answer"

# If-Match: the server makes the change only if the cardholder still has this version.
etag=$(tr -d '\r' <"$work/head" | sed -n 's/^[Ee][Tt]ag: //p')
echo '{"status":"SUSPENDED","freeField":null}' >"$work/patch"
call PATCH cardholders/frank application/merge-patch+json "$work/patch" "If-Match: $etag"

# One JSON object per line. The answer has one line for each, and a summary: the import was successful only if its
# 'committed' is true.
for name in grace heidi ivan; do jq -cn --arg uniqueId "$name" '{$uniqueId, status: "ACTIVE"}'; done >"$work/lines"
call POST cardholders:import application/x-ndjson "$work/lines"
cat "$work/answer"

# A real back-end verifies the answer's signature, processes the events, and stores 'next'. Then it acknowledges them
# (DELETE events?upTo=NEXT), which erases the PINs in them, and polls with wait=30. See bank.py.
after=
while call GET "events?limit=100${after:+&after=$after}" && [ "$(jq '.events | length' "$work/answer")" -gt 0 ]; do
    jq -r '.events[] | "\(.type) \(.uniqueId // "") \(.data)"' "$work/answer"
    after=$(jq -r .next "$work/answer")
done
call DELETE cardholders/frank
