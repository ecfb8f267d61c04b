#!/bin/sh
# Your own bank, from nothing to a PIN: makes the keys and certificates that a bank has, adds the bank, provisions a cardholder, and
# fetches their PIN as an image. A real bank makes its private keys itself, in its vault, and gives only what is imported here.
#
#   sh examples/own-bank.sh FOLDER [PROGRAM]
#
# FOLDER is made, and has the bank's files, and in `server` a private database; only DATABASE_URL names another one. No configuration
# of this machine counts. The server listens on HTTP_PORT (8090) and is stopped at the end. Python 3.11 or later needs cryptography,
# http-message-signatures and jwcrypto: .venv/bin/python3 if it is there. PYTHON names another one.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: own-bank.sh FOLDER [PROGRAM]" >&2
    exit 64
fi
folder=$1 program=${2:-card-companion} port=${HTTP_PORT:-8090}
python=$PWD/.venv/bin/python3
[ -x "$python" ] || python=python3
python=${PYTHON:-$python}
unset CDPATH
examples=$(cd "$(dirname "$0")" && pwd)
command -v "$program" >/dev/null || { echo "own-bank.sh: there is no program $program: name it as the second argument" >&2; exit 66; }
"$python" -c 'import cryptography, http_message_signatures, jwcrypto' 2>/dev/null || {
    echo "own-bank.sh: $python lacks packages: run 'pip install cryptography http-message-signatures jwcrypto', or name another one with PYTHON" >&2
    exit 69
}
# The absolute path of a program that is named with a folder.
absolute() { case $1 in */*) echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" ;; *) echo "$1" ;; esac; }
program=$(absolute "$program") python=$(absolute "$python")
umask 077
mkdir "$folder" || { echo "own-bank.sh: name a folder that does not exist yet" >&2; exit 73; }
folder=$(cd "$folder" && pwd)
cd "$folder"
echo '{}' >config.json
unset VAULT_FILE VAULT_MODULE VAULT_TOKEN HTTP_HOST HTTP_TLS_CERTIFICATE HTTP_TLS_KEY HTTP_TLS_CLIENT_CA SERVER_USER
export CARD_COMPANION_CONFIG="$folder/config.json" DATA_DIRECTORY="$folder/server" LOG_FORMAT=text LOG_LEVEL=notice

step() { echo "+ $*"; "$@"; }
companion() { echo "+ card-companion $*"; "$program" "$@" --log-level error >last.log 2>&1 || { cat last.log >&2; exit 1; }; }

echo "The bank's keys and certificates"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=My Bank CA" \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout bank-ca-key.pem -out bank-ca.pem 2>/dev/null
# certificate NAME USAGE: a key and a certificate of the bank's CA for it.
certificate() {
    printf 'keyUsage=critical,%s\nbasicConstraints=critical,CA:FALSE\n' "$2" >extensions
    openssl req -newkey rsa:2048 -nodes -subj "/CN=My Bank $1" -keyout "$1-key.pem" -out request 2>/dev/null
    openssl x509 -req -in request -CA bank-ca.pem -CAkey bank-ca-key.pem -CAcreateserial -days 365 -extfile extensions \
        -out "$1.pem" 2>/dev/null
}
certificate signing digitalSignature
certificate encryption keyEncipherment
openssl genpkey -algorithm ed25519 -out issuer-key.pem
openssl pkey -in issuer-key.pem -pubout -out back-end.pem
openssl rand -hex 32 >hmac.hex
printf '{"bankId": "MYBANK", "issuerKeyId": "mybank-2027", "authenticationCodes": {"frida": "%s"}}\n' \
    "$(openssl rand -hex 4)" >sandbox.json

echo "The operator's commands"
companion migrate
companion bank add MYBANK --name "My Bank" --scheme PCI-CPP
companion key import-hmac --bank MYBANK --usage distribution --hex-file hmac.hex
companion certificate import --bank MYBANK --alias 2027 --default --ca bank-ca.pem signing.pem
companion certificate import --bank MYBANK --alias pins-2027 --use encryption --default --ca bank-ca.pem encryption.pem
companion issuer-key add --bank MYBANK --key-id mybank-2027 --algorithm ed25519 --public-key back-end.pem
companion bank check MYBANK
cat last.log

echo "+ card-companion serve --http-port $port"
"$program" serve --http-port "$port" >server.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || :; wait $server || :' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
url='' tries=0
while [ -z "$url" ]; do
    tries=$((tries + 1))
    if ! kill -0 $server 2>/dev/null || [ $tries -gt 600 ]; then
        tail -n 5 server.log >&2
        echo "own-bank.sh: the server does not serve: $folder/server.log says why" >&2
        exit 1
    fi
    sleep 0.2
    url=$(sed -n 's/.* Listening url=\([^ ]*\)$/\1/p' server.log)
done

echo "The bank's back-end and a cardholder's app"
step "$python" "$examples/own_bank.py" "$url" . pin.png
echo "The PIN is in $folder/pin.png"
