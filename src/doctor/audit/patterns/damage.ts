import type { Pattern } from '../pattern.ts';

const hint = 'Do not run it, and do not let a model run it.';
const everything = String.raw`["']?(?:\/|~\/?|\/\*|~\/\*|\$\{?HOME\}?\/?\*?|\/(?:home|etc|usr|var|root|Users)\/?\*?)["']?(?=[\s;&|)\x60"']|$)`;

/** Commands that destroy, open a door, or stay. */
export const damagePatterns: readonly Pattern[] = [
  {
    id: 'destruction',
    severity: 'high',
    what: 'A command deletes or overwrites everything.',
    hint,
    find: new RegExp(
      String.raw`\brm\s{1,20}(?:--?[\w-]{1,20}\s{1,20}){0,3}-(?:[a-zA-Z]{0,6}[rR][a-zA-Z]{0,6}|-recursive)\s{1,20}(?:--?[\w-]{1,20}\s{1,20}){0,3}${everything}|\bfind\s{1,20}${everything}[^\n|]{0,120}(?:\s-delete\b|-exec\s{1,20}rm\b)|\bdd\s{1,20}[^\n]{0,60}\bif=\/dev\/(?:zero|u?random)\b[^\n]{0,60}\bof=\/dev\/(?:sd|nvme|hd|disk|vd)|:\(\)\s{0,20}\{\s{0,20}:\s{0,20}\|\s{0,20}:\s{0,20}&\s{0,20}\}\s{0,20};\s{0,20}:|\bshutil\.rmtree\(\s{0,20}(?:os\.path\.expanduser\(\s{0,20}["']~\/?["']\s{0,20}\)|Path\.home\(\)|["']\/["'])\s{0,20}[,)]|\b(?:rmSync|rimraf(?:\.sync)?|rm)\(\s{0,20}(?:(?:require\(['"](?:node:)?os['"]\)|os)\.)?homedir\(\)\s{0,20}[,)]|\bRemove-Item\b[^\n]{0,80}(?:\$HOME|\$env:USERPROFILE|C:\\)["']?(?=[\s;]|$)|\b(?:rd|rmdir|del)\s{1,20}(?:\/[sq]\s{1,20}){2}(?:C:\\|%USERPROFILE%)(?=\s|$)`,
      'gm',
    ),
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'A shell is handed to somebody elsewhere.',
    hint,
    find: /\b(?:ba|z|da|k)?sh\s{1,20}-i\b[^\n]{0,60}\/dev\/(?:tcp|udp)\/|\/dev\/(?:tcp|udp)\/[^\n]{0,60}0>&1|\b(?:nc|ncat|netcat)\b[^\n|]{0,60}\s-[a-z]{0,4}[ec]\s{1,20}\S{0,12}(?:sh|cmd(?:\.exe)?|powershell)\b|\bmkfifo\b[^\n]{0,160}\b(?:nc|ncat|netcat|telnet|openssl\s{1,20}s_client)\b|\bsocat\b[^\n]{0,160}\bexec:["']?(?:\/bin\/)?(?:ba|z)?sh\b(?!\.)|\bfsockopen\([^\n]{0,160}\b(?:exec|system|proc_open|shell_exec)\b/gi,
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'A shell is handed to somebody elsewhere.',
    hint,
    find: /\bos\.dup2\s{0,20}\(|\bpty\.spawn\s{0,20}\(|\b(?:subprocess\.\w{3,12}|spawn|exec|Popen|system)\s{0,20}\(\s{0,20}\[?\s{0,20}["'](?:\/bin\/)?(?:ba|z)?sh["']|\bNet\.Sockets\.TCPClient\b/g,
    near: /\bsocket\.socket\s{0,20}\([^]{0,400}\.connect\s{0,20}\(|\.connect\s{0,20}\(\s{0,20}\(\s{0,20}["'][\w.-]+["']\s{0,20},|\bnet\.(?:connect|createConnection|Socket)\b[^]{0,300}\.pipe\s{0,20}\(|\bTCPClient\b[^]{0,600}\b(?:iex|Invoke-Expression)\b/,
    only: 'code',
  },
  {
    id: 'persistence',
    severity: 'high',
    what: 'A key is let in for logging in from elsewhere.',
    hint,
    find: /\b(?:echo|printf)\s[^\n]{0,20}\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w{4,12})\s{1,20}AAAA[\w+/]{40,800}[^\n]{0,100}?authorized_keys/g,
  },
  {
    id: 'persistence',
    severity: 'medium',
    what: 'Something is arranged to run again at every start or on a schedule, with a download or an encoded part.',
    hint: 'Find out what it starts, and whether you want it to stay.',
    find: /\bcrontab\b|\/etc\/(?:cron\.\w{1,8}|crontab|rc\.local|profile\.d)\b|>>?\s{0,20}["']?(?:~|\$\{?HOME\}?|\/root)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|\bLibrary\/Launch(?:Agents|Daemons)\b|\bschtasks\b[^\n]{0,40}\/create\b|\bCurrentVersion\\Run\b|\bcore\.hooksPath\b/gi,
    near: /\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n]{0,200}(?:\|\s{0,20}(?:ba|z)?sh\b|\$\()|\bbase64\s{1,20}-{1,2}d|\/(?:var\/)?tmp\/\.|\/dev\/(?:tcp|shm)\b|\balias\s{1,20}(?:sudo|ssh|su)=/,
  },
  {
    id: 'persistence',
    severity: 'low',
    what: 'Something is arranged to run again at every start or on a schedule.',
    hint: 'Find out what it starts, and whether you want it to stay.',
    find: /\|\s{0,20}crontab\s{1,20}-|\blaunchctl\s{1,20}(?:load|bootstrap)\b|\bsystemctl\s{1,20}(?:--user\s{1,20})?enable\b|\bschtasks\b[^\n]{0,40}\/create\b/gi,
    only: 'code',
  },
  {
    id: 'weakening',
    severity: 'medium',
    what: 'A protection of the system is switched off, or traces are removed.',
    hint: 'Leave the protection on, and find out why this is wanted.',
    find: /\bchmod\s{1,20}(?:-\w{1,20}\s{1,20})?(?:[ugo]{0,3}\+s|[46]7[57][57])\s{1,20}\S|\bNOPASSWD:\s{0,20}ALL\b[^\n]{0,80}(?:>|tee)|\bsetenforce\s{1,20}0\b|\bSet-MpPreference\b[^\n]{0,80}-Disable|\bAdd-MpPreference\b[^\n]{0,80}-ExclusionPath|\bspctl\s{1,20}--(?:master|global)-disable\b|\bcsrutil\s{1,20}disable\b|\bhistory\s{1,20}-c\b|\bunset\s{1,20}HISTFILE\b|\bHISTFILE=\/dev\/null\b|\bchmod\s{1,20}(?:-R\s{1,20})?0?777\s{1,20}\/(?:etc|usr|var|home|root)?(?=[\s;&]|$)/g,
  },
  {
    id: 'miner',
    severity: 'high',
    what: 'A program that mines coins is set up.',
    hint,
    find: /\bstratum\+(?:tcp|ssl):\/\/|\bxmrig\b[^\n]{0,80}(?:\s-[ou]\s|--url|--donate)/gi,
  },
];
