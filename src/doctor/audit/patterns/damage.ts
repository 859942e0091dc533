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
      String.raw`\brm\s+(?:--?[\w-]+\s+){0,3}-(?:[a-zA-Z]*[rR][a-zA-Z]*|-recursive)\s+(?:--?[\w-]+\s+){0,3}${everything}|\bfind\s+${everything}[^\n|]{0,120}(?:\s-delete\b|-exec\s+rm\b)|\bdd\s+[^\n]{0,60}\bif=\/dev\/(?:zero|u?random)\b[^\n]{0,60}\bof=\/dev\/(?:sd|nvme|hd|disk|vd)|:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:|\bshutil\.rmtree\(\s*(?:os\.path\.expanduser\(\s*["']~\/?["']\s*\)|Path\.home\(\)|["']\/["'])|\b(?:rmSync|rimraf(?:\.sync)?|rm)\(\s*(?:os\.)?homedir\(\)|\bRemove-Item\b[^\n]{0,80}(?:\$HOME|\$env:USERPROFILE|C:\\)["']?(?=[\s;]|$)|\b(?:rd|rmdir|del)\s+(?:\/[sq]\s+){2}(?:C:\\|%USERPROFILE%)(?=\s|$)`,
      'gm',
    ),
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'A shell is handed to somebody elsewhere.',
    hint,
    find: /\b(?:ba|z|da|k)?sh\s+-i\b[^\n]{0,60}\/dev\/(?:tcp|udp)\/|\/dev\/(?:tcp|udp)\/[^\n]{0,60}0>&1|\b(?:nc|ncat|netcat)\b[^\n|]{0,60}\s-[a-z]{0,4}[ec]\s+\S{0,12}(?:sh|cmd(?:\.exe)?|powershell)\b|\bmkfifo\b[^\n]{0,160}\b(?:nc|ncat|netcat|telnet|openssl\s+s_client)\b|\bsocat\b[^\n]{0,160}\bexec:["']?(?:\/bin\/)?(?:ba|z)?sh\b(?!\.)|\bfsockopen\([^\n]{0,160}\b(?:exec|system|proc_open|shell_exec)\b/gi,
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'A shell is handed to somebody elsewhere.',
    hint,
    find: /\bos\.dup2\s*\(|\bpty\.spawn\s*\(|\b(?:subprocess\.\w{3,12}|spawn|exec|Popen|system)\s*\(\s*\[?\s*["'](?:\/bin\/)?(?:ba|z)?sh["']|\bNet\.Sockets\.TCPClient\b/g,
    near: /\bsocket\.socket\s*\([^]{0,400}\.connect\s*\(|\.connect\s*\(\s*\(\s*["'][\w.-]+["']\s*,|\bnet\.(?:connect|createConnection|Socket)\b[^]{0,300}\.pipe\s*\(|\bTCPClient\b[^]{0,600}\b(?:iex|Invoke-Expression)\b/,
    only: 'code',
  },
  {
    id: 'persistence',
    severity: 'high',
    what: 'A key is let in for logging in from elsewhere.',
    hint,
    find: /\b(?:echo|printf)\s[^\n]{0,20}\bssh-(?:rsa|ed25519|dss)\s+AAAA[^\n]{0,800}?authorized_keys|\becdsa-sha2-\w{4,12}\s+AAAA[^\n]{0,400}authorized_keys/g,
  },
  {
    id: 'persistence',
    severity: 'medium',
    what: 'Something is arranged to run again at every start or on a schedule, with a download or an encoded part.',
    hint: 'Find out what it starts, and whether you want it to stay.',
    find: /\bcrontab\b|\/etc\/(?:cron\.\w{1,8}|crontab|rc\.local|profile\.d)\b|>>?\s*["']?(?:~|\$\{?HOME\}?|\/root)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|\bLibrary\/Launch(?:Agents|Daemons)\b|\bschtasks\b[^\n]{0,40}\/create\b|\bCurrentVersion\\Run\b|\bcore\.hooksPath\b/gi,
    near: /\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n]{0,200}(?:\|\s*(?:ba|z)?sh\b|\$\()|\bbase64\s+-{1,2}d|\/(?:var\/)?tmp\/\.|\/dev\/(?:tcp|shm)\b|\balias\s+(?:sudo|ssh|su)=/,
  },
  {
    id: 'persistence',
    severity: 'low',
    what: 'Something is arranged to run again at every start or on a schedule.',
    hint: 'Find out what it starts, and whether you want it to stay.',
    find: /\|\s*crontab\s+-|\blaunchctl\s+(?:load|bootstrap)\b|\bsystemctl\s+(?:--user\s+)?enable\b|\bschtasks\b[^\n]{0,40}\/create\b/gi,
    only: 'code',
  },
  {
    id: 'weakening',
    severity: 'medium',
    what: 'A protection of the system is switched off, or traces are removed.',
    hint: 'Leave the protection on, and find out why this is wanted.',
    find: /\bchmod\s+(?:-\w+\s+)?(?:[ugo]*\+s|[46]7[57][57])\s+\S|\bNOPASSWD:\s*ALL\b[^\n]{0,80}(?:>|tee)|\bsetenforce\s+0\b|\bSet-MpPreference\b[^\n]{0,80}-Disable|\bAdd-MpPreference\b[^\n]{0,80}-ExclusionPath|\bspctl\s+--(?:master|global)-disable\b|\bcsrutil\s+disable\b|\bhistory\s+-c\b|\bunset\s+HISTFILE\b|\bHISTFILE=\/dev\/null\b|\bchmod\s+(?:-R\s+)?0?777\s+\/(?:etc|usr|var|home|root)?(?=[\s;&]|$)/g,
  },
  {
    id: 'miner',
    severity: 'high',
    what: 'A program that mines coins is set up.',
    hint,
    find: /\bstratum\+(?:tcp|ssl):\/\/|\bxmrig\b[^\n]{0,80}(?:\s-[ou]\s|--url|--donate)/gi,
  },
];
