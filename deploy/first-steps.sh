#!/bin/sh
# Prepares an installation: a key file, the tables, a merchant account and a first credential. Its secret is written to CREDENTIAL_FILE, which only its
# owner reads, and never to the output: that is a log in most places. What is there already stays as it is, so the script may run before every start.
set -eu
triglyph=${TRIGLYPH:-node bin/triglyph.mjs}
file=${CREDENTIAL_FILE:-first-credential}
umask 077

if [ ! -e "$KEY_FILE" ]; then
  $triglyph keys create "$KEY_FILE"
fi
$triglyph migrate
if [ "$($triglyph credential list --json)" = '[]' ]; then
  $triglyph credential merchant-account add "$COMPANY" "$MERCHANT_ACCOUNT"
  $triglyph credential add "$COMPANY" --account "$MERCHANT_ACCOUNT" > "$file.new"
  mv "$file.new" "$file"
  echo "$file: the first credential. Hand it to the caller, and delete the file."
fi
