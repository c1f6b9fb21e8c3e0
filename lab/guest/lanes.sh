#!/bin/bash
# lanes.sh COUNT FILE…: runs test programs in COUNT processes side by side; each line of their TAP gets the lane's number.
count=$1
shift
claims=$(mktemp -d /run/claims.XXXX)
for lane in $(seq "$count"); do
  { node lab/guest/lane.mjs "$claims" "$@" </dev/null; echo "# exit $?"; } | sed -u "s/^/$lane /" &
done
wait
