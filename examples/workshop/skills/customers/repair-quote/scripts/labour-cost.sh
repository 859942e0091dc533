#!/bin/sh
# Prints the net price of work: 0.95 euro a minute, at least 15 minutes.
set -eu
minutes=${1:?give the working time in minutes}
[ "$minutes" -ge 15 ] || minutes=15
cents=$((minutes * 95))
printf '%d.%02d\n' $((cents / 100)) $((cents % 100))
