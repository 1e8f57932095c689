#!/bin/sh
# Makes the certificates of the tests anew: an authority, and what it vouches for. Nothing outside the tests trusts it.
set -e
cd "$(dirname "$0")"
new() { # name, subject, extensions, days
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key.pem"
  openssl req -new -key "$1.key.pem" -subj "/CN=$2" -out "$1.csr"
  printf '%s\n' "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key.pem -CAcreateserial -extfile "$1.ext" \
    -days "$4" -out "$1.pem"
  rm "$1.csr" "$1.ext"
}
openssl ecparam -name prime256v1 -genkey -noout -out authority.key.pem
openssl req -x509 -new -key authority.key.pem -subj "/CN=Authority of the tests" -days 36500 \
  -addext "basicConstraints=critical,CA:TRUE" -out authority.pem
new server localhost "subjectAltName=DNS:localhost,IP:127.0.0.1" 36500
new elsewhere elsewhere.test "subjectAltName=DNS:elsewhere.test" 36500
new expired localhost "subjectAltName=DNS:localhost,IP:127.0.0.1" -1
new client "a client" "extendedKeyUsage=clientAuth" 36500
rm -f authority.srl authority.key.pem
