#!/bin/sh
# Fetches a PIN from the sandbox as an image and confirms it, with curl, openssl and jq only. It shows what an app and
# its bank do, byte by byte. A real app uses the SDK or a JOSE library. A real bank's key must never leave its back-end,
# and must not be on a command line as it is here.
#
#   sh examples/first-pin.sh URL SANDBOX_FOLDER CARDHOLDER IMAGE.png
set -eu

if [ $# -ne 4 ]; then
    echo "usage: first-pin.sh URL SANDBOX_FOLDER CARDHOLDER IMAGE.png" >&2
    exit 64
fi
. "$(dirname "$0")/overload.sh"
url=$1 sandbox=$2 cardholder=$3 image=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" | sed 's/.*= //'; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
# base64url without padding (RFC 4648 section 5)
unbase64url() {
    text=$(tr '_-' '/+')
    while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
    printf %s "$text" | openssl base64 -d -A
}
# post PATH: sends what it reads. The answer is in $work/answer. If the server has too much to do, it sends the same again.
post() {
    cat >"$work/request"
    send_until_taken "$1"
}
send() {
    status=$(curl -sS -H 'Content-Type: application/json' -d "@$work/request" -D "$work/head" -o "$work/answer" \
        -w '%{http_code}' "$url$1")
}
check() {
    code=$(jq -r .errorCode "$work/answer")
    [ "$code" = 0 ] || { echo "$1: $code $(jq -r .errorMessage "$work/answer")" >&2; exit 1; }
}

# The bank's back-end, after it has authenticated the cardholder: an HMAC over bank, cardholder and time. It is the same for one
# second, and the server takes it once: a second fetch within this second is answered 205.
bank=$(jq -r .bankId "$sandbox/sandbox.json")
code=$(jq -r --arg id "$cardholder" '.authenticationCodes[$id]' "$sandbox/sandbox.json")
timestamp=$(date +%s)
mac=$(printf %s "$bank$cardholder$timestamp" | hmac "$(cat "$sandbox/hmac.hex")")

# The app: a new RSA key, and the request.
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$work/key.pem" 2>/dev/null ||
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$work/key.pem" 2>/dev/null
key=$(openssl pkey -in "$work/key.pem" -pubout -outform DER | openssl base64 -A)
jq -n --arg bankId "$bank" --arg uniqueId "$cardholder" --arg authCode "$code" --arg timestamp "$timestamp" \
    --arg hashMac "$mac" --arg rsaPublicKey "$key" '$ARGS.named' | post /v1/pin-distribution/captcha
check fetch
session=$(jq -r .sessionId "$work/answer")

# The answer's pin is a JWE: header.key.iv.ciphertext.tag. The key is encrypted with RSA-OAEP-256. openssl's command
# line has no AES-GCM, so this decrypts with AES-CTR, with the counter starting at 2. It does not check the tag. A real
# app must check it: use a library.
part() { jq -r .pin "$work/answer" | tr -d '\n' | cut -d. -f"$1"; }
part 2 | unbase64url >"$work/encrypted-key"
openssl pkeyutl -decrypt -inkey "$work/key.pem" -in "$work/encrypted-key" -out "$work/content-key" \
    -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha256
part 4 | unbase64url | openssl enc -d -aes-256-ctr -K "$(hex <"$work/content-key")" \
    -iv "$(part 3 | unbase64url | hex)00000002" >"$work/delivery.json"

jq -r '.images[0]' "$work/delivery.json" | openssl base64 -d -A >"$image"
echo "fetched the PIN of $cardholder: $image ($(wc -c <"$image") bytes)"

# The hash proves that the app decrypted the delivery: its key was in the delivery.
notify_key=$(jq -r .notifyKey "$work/delivery.json" | tr -d '\n' | unbase64url | hex)
hash=$(printf %s "$bank$cardholder${session}0" | hmac "$notify_key")
jq -n --arg bankId "$bank" --arg uniqueId "$cardholder" --arg sessionId "$session" --arg hash "$hash" \
    '$ARGS.named + {status: 0}' | post /v1/pin-distribution/notify
check notify
echo "confirmed that it was shown"
