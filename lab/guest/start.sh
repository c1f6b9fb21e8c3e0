#!/bin/bash
# The guest's process 1, with the host's files in view: sets the machine up, runs one command, carries its output and
# exit code out through virtio-serial ports (raw bytes, unlike a console), and powers off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

for word in $(</proc/cmdline); do
  case $word in
    lab.modules=*) modules=${word#lab.modules=} ;;
    lab.terminal=*) terminal=${word#lab.terminal=} ;;
  esac
done

mount -t sysfs sys /sys
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns /dev/pts /dev/shm /lib/modules
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup /sys/fs/cgroup
ln -sfn /proc/self/fd /dev/fd
ln -sfn fd/0 /dev/stdin
ln -sfn fd/1 /dev/stdout
ln -sfn fd/2 /dev/stderr
mount --bind "$modules" /lib/modules
ip link set lo up
hostname lab
ulimit -n 65536
modprobe ip_vs

power_off() {
  echo o >/proc/sysrq-trigger
  sleep 60
}

# The control port says what to run (one line, base64 of a shell script) and hears the exit code.
while [ ! -c /dev/vport0p4 ]; do sleep 0.05; done
exec 9<>/dev/vport0p1
(sleep 30; [ -e /run/lab-command ] || power_off) & # nobody is there: writing would wait for ever
echo ready >&9
IFS= read -r line <&9
base64 -d <<<"$line" >/run/lab-command
# When the other end of the port goes, nobody waits for this machine any more.
(cat <&9 >/dev/null; power_off) &

if [ -n "$terminal" ]; then # an interactive shell, on the console
  stty -F /dev/ttyS0 rows "${terminal%x*}" cols "${terminal#*x}"
  setsid -c bash /run/lab-command </dev/ttyS0 >/dev/ttyS0 2>&1 9>&-
  echo $? >&9
  power_off
fi

# A port can be opened once only, so relays hold the ports, and the command's /dev/stdout and /dev/stderr are pipes.
mkfifo /run/lab-out /run/lab-err
cat /run/lab-out >/dev/vport0p3 9>&- &
out=$!
cat /run/lab-err >/dev/vport0p4 9>&- &
err=$!
bash /run/lab-command </dev/vport0p2 >/run/lab-out 2>/run/lab-err 9>&-
code=$?
# What the command left running may hold the pipes: give the relays a moment, not for ever.
( sleep 10; kill $out $err ) 2>/dev/null &
wait $out $err 2>/dev/null
echo $code >&9
power_off
