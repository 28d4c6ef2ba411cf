#!/bin/sh
# Prepares an installation: a key file, the tables, a merchant account and a first credential, which is printed once.
# What is there already stays as it is, so the script may run before every start.
set -eu
triglyph=${TRIGLYPH:-node bin/triglyph.mjs}
umask 077

if [ ! -e "$KEY_FILE" ]; then
  $triglyph keys create "$KEY_FILE"
fi
$triglyph migrate
if [ "$($triglyph credential list --json)" = '[]' ]; then
  $triglyph credential merchant-account add "$COMPANY" "$MERCHANT_ACCOUNT"
  $triglyph credential add "$COMPANY" --account "$MERCHANT_ACCOUNT"
fi
