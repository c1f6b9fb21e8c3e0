#!/bin/sh
# boot.sh COMMAND…: runs a command in User-Mode Linux, which is a Linux kernel (with IPVS) as a process.
# Unlike an emulated machine it leaves the speed of user space as it is, so that Node and C compare fairly.
# Needs Debian's package user-mode-linux. The host's files are seen read-only. Prints the command's standard output.
set -e
[ -x /usr/bin/linux.uml ] || { echo "bench: install Debian's package user-mode-linux" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/init.sh" "$work/init"
for word; do printf "'%s' " "$word"; done >"$work/command"
# Before others: a machine that waits for them measures their work (autogroups make nice(1) alone useless).
echo -15 >/proc/self/autogroup 2>/dev/null || true
# One CPU: the machine has one, and threads that move between CPUs vary by a factor of ten.
taskset -c "${BENCH_CPU:-0}" /usr/bin/linux.uml mem=4G root=/dev/root rootfstype=hostfs rootflags=/ ro init=/bin/bash \
  con=null con0=fd:0,fd:1 con1=null,fd:3 quiet BENCH="$work" -- "$work/init" <"/dev/null" 3>&1 >"$work/console" 2>&1 ||
  { tail -5 "$work/console" >&2; exit 1; }
