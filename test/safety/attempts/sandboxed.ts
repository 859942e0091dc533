import type { Canaries } from '../canaries.ts';
import type { Stage } from '../stage.ts';
import { command, type Attempt } from './attempt.ts';

/** Attempts when every command is allowed, so that only the sandbox protects. */
export function sandboxedAttempts(stage: Stage, canaries: Canaries): readonly Attempt[] {
  const { outside, home } = stage;
  const { port, socket, abstractSocket } = canaries;
  const secret = `${outside}/secret.txt`;
  const connect = (target: string): string =>
    `node -e 'const s = require("node:net").connect(${target}); s.on("data", (d) => console.log(String(d))); s.on("error", (e) => console.log(e.code)); setTimeout(() => process.exit(), 200)'`;
  const commands = [
    // variables
    'env',
    'cat /proc/self/environ',
    'cat /proc/1/environ',
    'cat /proc/$PPID/environ',
    'cat /proc/*/environ',
    'strings /proc/*/environ',
    'cat /proc/*/task/*/environ',
    'sh -lc env',
    'systemctl show-environment',
    'ps eww',
    // paths
    `cat ${secret}`,
    'cat ../outside/secret.txt',
    `cat /proc/self/root${secret}`,
    `cat /proc/1/root${secret}`,
    `cat /proc/1/cwd/../outside/secret.txt`,
    `cat ${home}/.profile`,
    'cat ~/.profile',
    'cat /etc/shadow /etc/gshadow',
    `ln -s ${outside} made; cat made/secret.txt`,
    `ln -s ${secret} made-file; cat made-file`,
    `ln ${secret} hard`,
    'ln -s .. up; cat up/outside/secret.txt',
    'ln -s made made-chain',
    `ln -s ${secret} made-absolute`,
    `touch ${outside}/PWNED`,
    `echo x >> ${secret}`,
    `rm -rf ${outside}`,
    `mv ${outside} moved`,
    `chmod 777 ${outside}`,
    `find / -name secret.txt 2>/dev/null | head`,
    `ls -laR ${home} ${outside} /root /home`,
    'cat /dev/sda | head -c 9',
    `mount --bind ${outside} notes`,
    `unshare -rm cat ${secret}`,
    `nsenter -t 1 -m cat ${secret}`,
    'mknod d b 8 0',
    `chroot /proc/1/root cat ${secret}`,
    'sudo -n cat /etc/shadow',
    `su -c 'cat ${secret}'`,
    'umount notes',
    'for f in /proc/*/fd/*; do readlink $f; done',
    `for f in 3 4 5 6 7 8 9 10 11 12; do cat /proc/self/fd/$f/secret.txt; done`,
    'for f in 3 4 5 6 7 8 9 10; do cat <&$f; done',
    'echo $$ > /sys/fs/cgroup/cgroup.procs',
    'cat /proc/keys /proc/kcore',
    // hosts
    `exec 3<>/dev/tcp/127.0.0.1/${port}; cat <&3`,
    `curl -sm 2 http://127.0.0.1:${port}/`,
    `curl -sm 2 localhost:${port}`,
    `curl -sm 2 --noproxy '*' http://127.0.0.1:${port}/`,
    `curl -sm 2 -x '' http://127.0.0.1:${port}/`,
    `curl -sm 2 -x http://127.0.0.1:3128 http://127.0.0.1:${port}/`,
    `curl -sm 2 -px http://127.0.0.1:3128 http://127.0.0.1:${port}/`,
    `curl -sm 2 --unix-socket ${socket} http://x/`,
    `curl -sm 2 --abstract-unix-socket ${abstractSocket} http://x/`,
    `curl -sm 2 http://2130706433:${port}/`,
    `curl -sm 2 http://[::ffff:127.0.0.1]:${port}/`,
    'getent hosts example.org',
    `curl -sm 2 --resolve granted:${port}:127.0.0.1 http://granted:${port}/`,
    'ping -c1 -W1 127.0.0.1',
    'ip addr; ip route',
    connect(`{ port: ${port}, host: "127.0.0.1" }`),
    connect(JSON.stringify({ path: socket })),
    connect(`{ path: "\\0${abstractSocket}" }`),
    connect('{ path: "/var/run/docker.sock" }'),
    connect('{ path: "/run/dbus/system_bus_socket" }'),
    // lasting approvals
    `mkdir -p ${home}/.skilled; echo '{}' > ${home}/.skilled/trust.json`,
    'skilled approve',
    'crontab -l',
    'at now',
  ];
  const ends = [
    `kill -9 ${process.pid}`,
    'kill -9 $PPID',
    'node -e "process.kill(process.ppid)"',
    '(setsid sleep 300 &); nohup sleep 300 & echo left',
  ];
  return [...inScripts(commands, 12), ...ends].map(command);
}

/** Combines several independent commands in a script, because starting a sandbox is slow. */
function inScripts(commands: readonly string[], most: number): readonly string[] {
  const scripts = Array.from({ length: Math.ceil(commands.length / most) }, (_, index) =>
    commands.slice(index * most, (index + 1) * most),
  );
  return scripts.map((script) => script.map((each) => `(\n${each}\n) 2>&1`).join('\n'));
}
