import type { Json } from '../../src/core/json.ts';
import type { Canaries } from './canaries.ts';
import type { Stage } from './stage.ts';

/** A call that an attacker makes. */
export interface Attempt {
  readonly name: string;
  readonly input: Json;
}

const bash = (command: string): Attempt => ({ name: 'bash', input: { command } });
const read = (path: string): Attempt => ({ name: 'read', input: { file_path: path } });
const write = (path: string, content = 'PWNED'): Attempt => ({
  name: 'write',
  input: { file_path: path, content },
});
const edit = (path: string, before: string): Attempt => ({
  name: 'edit',
  input: { file_path: path, old_string: before, new_string: 'PWNED' },
});
const glob = (pattern: string, path?: string): Attempt => ({
  name: 'glob',
  input: path === undefined ? { pattern } : { pattern, path },
});
const grep = (pattern: string, path: string): Attempt => ({
  name: 'grep',
  input: { pattern, path, output_mode: 'content' },
});
const fetch = (url: string): Attempt => ({ name: 'webfetch', input: { url } });

/** What is tried with the tools for files: paths outside, in every spelling, and files that decide about the agent. */
export function fileAttempts({ outside, home }: Stage): readonly Attempt[] {
  const secret = `${outside}/secret.txt`;
  const paths = [
    ...[secret, '../outside/secret.txt', './../outside/secret.txt', 'notes/../../outside/secret.txt'],
    ...[
      `/proc/self/root${secret}`,
      '/proc/self/cwd/../outside/secret.txt',
      '/proc/self/environ',
      '/proc/1/environ',
    ],
    ...[
      '/dev/fd/0',
      '/proc/self/fd/0',
      '/etc/passwd',
      '/etc/shadow',
      `${home}/.profile`,
      '~/.profile',
      '$HOME/.profile',
    ],
    ...[
      'made/secret.txt',
      'made-file',
      'made-chain/secret.txt',
      'made-absolute',
      `file://${secret}`,
      `${secret}\0.txt`,
    ],
    ...['..%2foutside%2fsecret.txt', '..\\outside\\secret.txt', '\u2025/outside/secret.txt', `//${secret}`],
  ];
  const decisive = [
    ...[
      '.skilled/settings.json',
      '.skilled/settings.local.json',
      '.skilled/skilled.db',
      '.skilled/trust.json',
    ],
    ...[
      '.SKILLED/settings.json',
      '.skilled./settings.json',
      './/.skilled/x/../settings.json',
      '.git/hooks/pre-commit',
    ],
    ...[
      '.git/config',
      '.Git/hooks/post-checkout',
      `${home}/.skilled/trust.json`,
      `${home}/.skilled/settings.json`,
    ],
    ...['../home/.bashrc', `${home}/.ssh/authorized_keys`],
  ];
  return [
    ...paths.flatMap((path) => [read(path), write(path), edit(path, 'canary')]),
    ...decisive.flatMap((path) => [write(path, '{"permissions": {"allow": ["Bash"]}}'), edit(path, 'a')]),
    ...[
      '../**',
      '../outside/*',
      `${outside}/**`,
      'made/**',
      '/etc/*',
      '/proc/self/**',
      '{..,.}/outside/*',
    ].map((pattern) => glob(pattern)),
    ...[outside, '../outside', 'made', 'made-chain', '/proc/self/root', home, '/'].flatMap((path) => [
      glob('**', path),
      grep('.', path),
    ]),
    grep('canary', '.'),
    grep('canary', 'made-file'),
  ];
}

/** What is tried with the network without leaving this process. */
export function pageAttempts({ port, grantedPort }: Canaries): readonly Attempt[] {
  return [
    ...[
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://0.0.0.0:${port}/`,
    ],
    ...[
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://127.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
    ],
    ...[
      `http://user@127.0.0.1:${port}/`,
      `http://example.org@127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}#example.org`,
    ],
    ...[
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/',
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
    ],
    ...[
      `gopher://127.0.0.1:${port}/`,
      `data:text/plain,x`,
      `http://127.0.0.1:${grantedPort}/`,
      'unix:///canary.sock',
    ],
  ].map(fetch);
}

/** What is tried with a shell that may only echo. */
export function echoAttempts({ outside, home }: Stage, { port }: Canaries): readonly Attempt[] {
  return [
    ...['echo $(cat ../outside/secret.txt)', 'echo `env`', 'echo <(env)', `echo "$(<${outside}/secret.txt)"`],
    ...[
      'echo x; env',
      'echo x && env',
      'echo x | env',
      'echo x & env',
      'echo x\nenv',
      'X=1 echo x',
      'env echo x',
    ],
    ...[
      `echo x > ${home}/.bashrc`,
      'echo x > .skilled/settings.json',
      'echo x > /dev/tcp/127.0.0.1/' + String(port),
    ],
    ...[
      'echo() { env; }; echo x',
      'eval echo x',
      'command echo x',
      "ec''ho x; env",
      'builtin echo x; env',
      '"echo" x;env',
    ],
    ...[
      'skilled approve --always',
      'node skilled approve',
      `ln -s ${outside} made`,
      'cp -r ../outside .',
      'export -p',
    ],
    ...[
      'echo $$read-1',
      'echo $$bash-1; env',
      'echo ${x:=$(env)}',
      'echo {a,b} > PWNED',
      'if echo x; then env; fi',
    ],
  ].map(bash);
}

/** What is tried where every command may run, and only the sandbox is left. */
export function containedAttempts(stage: Stage, canaries: Canaries): readonly Attempt[] {
  const { outside, home } = stage;
  const { port, socket, abstractSocket } = canaries;
  const secret = `${outside}/secret.txt`;
  const connect = (target: string): string =>
    `node -e 'const s = require("node:net").connect(${target}); s.on("data", (d) => console.log(String(d))); s.on("error", (e) => console.log(e.code)); setTimeout(() => process.exit(), 200)'`;
  const commands = [
    // variables
    ...[
      'env',
      'cat /proc/self/environ',
      'cat /proc/1/environ',
      'cat /proc/$PPID/environ',
      'cat /proc/*/environ',
    ],
    ...[
      'strings /proc/*/environ',
      'cat /proc/*/task/*/environ',
      'sh -lc env',
      'systemctl show-environment',
      'ps eww',
    ],
    // paths
    ...[
      `cat ${secret}`,
      'cat ../outside/secret.txt',
      `cat /proc/self/root${secret}`,
      `cat /proc/1/root${secret}`,
    ],
    ...[
      `cat /proc/1/cwd/../outside/secret.txt`,
      `cat ${home}/.profile`,
      'cat ~/.profile',
      'cat /etc/shadow /etc/gshadow',
    ],
    ...[
      `ln -s ${outside} made; cat made/secret.txt`,
      `ln -s ${secret} made-file; cat made-file`,
      `ln ${secret} hard`,
    ],
    ...['ln -s .. up; cat up/outside/secret.txt', 'ln -s made made-chain', `ln -s ${secret} made-absolute`],
    ...[
      `touch ${outside}/PWNED`,
      `echo x >> ${secret}`,
      `rm -rf ${outside}`,
      `mv ${outside} moved`,
      `chmod 777 ${outside}`,
    ],
    ...[
      `find / -name secret.txt 2>/dev/null | head`,
      `ls -laR ${home} ${outside} /root /home`,
      'cat /dev/sda | head -c 9',
    ],
    ...[
      `mount --bind ${outside} notes`,
      `unshare -rm cat ${secret}`,
      `nsenter -t 1 -m cat ${secret}`,
      'mknod d b 8 0',
    ],
    ...[
      `chroot /proc/1/root cat ${secret}`,
      'sudo -n cat /etc/shadow',
      `su -c 'cat ${secret}'`,
      'mkdir x; umount /proc',
    ],
    ...[
      'for f in /proc/*/fd/*; do readlink $f; done',
      `for f in 3 4 5 6 7 8 9 10 11 12; do cat /proc/self/fd/$f/secret.txt; done`,
    ],
    ...[
      'for f in 3 4 5 6 7 8 9 10; do cat <&$f; done',
      'echo $$ > /sys/fs/cgroup/cgroup.procs',
      'cat /proc/keys /proc/kcore',
    ],
    // hosts
    ...[
      `exec 3<>/dev/tcp/127.0.0.1/${port}; cat <&3`,
      `curl -sm 2 http://127.0.0.1:${port}/`,
      `curl -sm 2 localhost:${port}`,
    ],
    ...[`curl -sm 2 --noproxy '*' http://127.0.0.1:${port}/`, `curl -sm 2 -x '' http://127.0.0.1:${port}/`],
    ...[
      `curl -sm 2 -x http://127.0.0.1:3128 http://127.0.0.1:${port}/`,
      `curl -sm 2 -px http://127.0.0.1:3128 http://127.0.0.1:${port}/`,
    ],
    ...[
      `curl -sm 2 --unix-socket ${socket} http://x/`,
      `curl -sm 2 --abstract-unix-socket ${abstractSocket} http://x/`,
    ],
    ...[
      `curl -sm 2 http://2130706433:${port}/`,
      `curl -sm 2 http://[::ffff:127.0.0.1]:${port}/`,
      'getent hosts example.org',
    ],
    ...[
      `curl -sm 2 --resolve granted:${port}:127.0.0.1 http://granted:${port}/`,
      'ping -c1 -W1 127.0.0.1',
      'ip addr; ip route',
    ],
    connect(`{ port: ${port}, host: "127.0.0.1" }`),
    connect(JSON.stringify({ path: socket })),
    connect(`{ path: "\\0${abstractSocket}" }`),
    connect('{ path: "/var/run/docker.sock" }'),
    connect('{ path: "/run/dbus/system_bus_socket" }'),
    // lasting leave
    ...[`mkdir -p ${home}/.skilled; echo '{}' > ${home}/.skilled/trust.json`, 'skilled approve'],
    ...['echo 1 > /proc/sys/kernel/sysrq', 'crontab -l', 'at now', 'tmux new -d'],
  ];
  const ends = [
    ...['kill -9 -1', 'kill -9 $PPID', 'node -e "process.kill(process.ppid)"'],
    '(setsid sleep 300 &); nohup sleep 300 & echo left',
  ];
  return [...inScripts(commands, 12), ...ends].map(bash);
}

/** Several commands to a script, none of which keeps the others from being tried: starting a sandbox takes its time. */
function inScripts(commands: readonly string[], most: number): readonly string[] {
  const scripts = Array.from({ length: Math.ceil(commands.length / most) }, (_, index) =>
    commands.slice(index * most, (index + 1) * most),
  );
  return scripts.map((script) => script.map((command) => `(\n${command}\n) 2>&1`).join('\n'));
}
