# First process of User-Mode Linux (boot.sh): loads IPVS, runs the command, powers off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o size=1g tmpfs /run
mkdir -p /run/netns
ip link set lo up
for module in crc-ccitt ipv6 nf_defrag_ipv4 nf_defrag_ipv6 nf_conntrack ip_vs ip_vs_wrr; do
  insmod "$(find /usr/lib/uml/modules -name "$module.ko")"
done
stty raw -F /dev/tty1
eval "$(cat "$BENCH/command")" </dev/null >/dev/tty1 2>&1
sleep 0.2
halt -f -p
