import type { AuditPattern } from './diagnostic.ts';

const damageHint = 'Do not run this code, and do not let a model run it.';
const everything = String.raw`["']?(?:\/|~\/?|\/\*|~\/\*|\$\{?HOME\}?\/?\*?|\/(?:home|etc|usr|var|root|Users)\/?\*?)["']?(?=[\s;&|)\x60"']|$)`;

/** Patterns for commands that destroy data, open a backdoor or install themselves to run permanently. */
export const damagePatterns: readonly AuditPattern[] = [
  {
    id: 'destruction',
    severity: 'high',
    what: 'A command deletes or overwrites everything.',
    hint: damageHint,
    find: new RegExp(
      String.raw`\brm\s{1,20}(?:--?[\w-]{1,20}\s{1,20}){0,3}-(?:[a-zA-Z]{0,6}[rR][a-zA-Z]{0,6}|-recursive)\s{1,20}(?:--?[\w-]{1,20}\s{1,20}){0,3}${everything}|\bfind\s{1,20}${everything}[^\n|]{0,120}(?:\s-delete\b|-exec\s{1,20}rm\b)|\bdd\s{1,20}[^\n]{0,60}\bif=\/dev\/(?:zero|u?random)\b[^\n]{0,60}\bof=\/dev\/(?:sd|nvme|hd|disk|vd)|:\(\)\s{0,20}\{\s{0,20}:\s{0,20}\|\s{0,20}:\s{0,20}&\s{0,20}\}\s{0,20};\s{0,20}:|\bshutil\.rmtree\(\s{0,20}(?:os\.path\.expanduser\(\s{0,20}["']~\/?["']\s{0,20}\)|Path\.home\(\)|["']\/["'])\s{0,20}[,)]|\b(?:rmSync|rimraf(?:\.sync)?|rm)\(\s{0,20}(?:(?:require\(['"](?:node:)?os['"]\)|os)\.)?homedir\(\)\s{0,20}[,)]|\bRemove-Item\b[^\n]{0,80}(?:\$HOME|\$env:USERPROFILE|C:\\)["']?(?=[\s;]|$)|\b(?:rd|rmdir|del)\s{1,20}(?:\/[sq]\s{1,20}){2}(?:C:\\|%USERPROFILE%)(?=\s|$)`,
      'gm',
    ),
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'This code gives a remote machine a shell.',
    hint: damageHint,
    find: /\b(?:ba|z|da|k)?sh\s{1,20}-i\b[^\n]{0,60}\/dev\/(?:tcp|udp)\/|\/dev\/(?:tcp|udp)\/[^\n]{0,60}0>&1|\b(?:nc|ncat|netcat)\b[^\n|]{0,60}\s-[a-z]{0,4}[ec]\s{1,20}\S{0,12}(?:sh|cmd(?:\.exe)?|powershell)\b|\bmkfifo\b[^\n]{0,160}\b(?:nc|ncat|netcat|telnet|openssl\s{1,20}s_client)\b|\bsocat\b[^\n]{0,160}\bexec:["']?(?:\/bin\/)?(?:ba|z)?sh\b(?!\.)|\bfsockopen\([^\n]{0,160}\b(?:exec|system|proc_open|shell_exec)\b/gi,
  },
  {
    id: 'remote-shell',
    severity: 'high',
    what: 'This code gives a remote machine a shell.',
    hint: damageHint,
    find: /\bos\.dup2\s{0,20}\(|\bpty\.spawn\s{0,20}\(|\b(?:subprocess\.\w{3,12}|spawn|exec|Popen|system)\s{0,20}\(\s{0,20}\[?\s{0,20}["'](?:\/bin\/)?(?:ba|z)?sh["']|\bNet\.Sockets\.TCPClient\b/g,
    near: /\bsocket\.socket\s{0,20}\([^]{0,400}\.connect\s{0,20}\(|\.connect\s{0,20}\(\s{0,20}\(\s{0,20}["'][\w.-]+["']\s{0,20},|\bnet\.(?:connect|createConnection|Socket)\b[^]{0,300}\.pipe\s{0,20}\(|\bTCPClient\b[^]{0,600}\b(?:iex|Invoke-Expression)\b/,
    only: 'code',
  },
  {
    id: 'persistence',
    severity: 'high',
    what: 'An SSH key that allows remote logins is added.',
    hint: damageHint,
    find: /\b(?:echo|printf)\s[^\n]{0,20}\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w{4,12})\s{1,20}AAAA[\w+/]{40,800}[^\n]{0,100}?authorized_keys/g,
  },
  {
    id: 'persistence',
    severity: 'medium',
    what: 'A command that downloads or decodes something is set up to run at startup or on a schedule.',
    hint: 'Find out what the command does, and decide whether to keep it.',
    find: /\bcrontab\b|\/etc\/(?:cron\.\w{1,8}|crontab|rc\.local|profile\.d)\b|>>?\s{0,20}["']?(?:~|\$\{?HOME\}?|\/root)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|\bLibrary\/Launch(?:Agents|Daemons)\b|\bschtasks\b[^\n]{0,40}\/create\b|\bCurrentVersion\\Run\b|\bcore\.hooksPath\b/gi,
    near: /\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n]{0,200}(?:\|\s{0,20}(?:ba|z)?sh\b|\$\()|\bbase64\s{1,20}-{1,2}d|\/(?:var\/)?tmp\/\.|\/dev\/(?:tcp|shm)\b|\balias\s{1,20}(?:sudo|ssh|su)=/,
  },
  {
    id: 'persistence',
    severity: 'low',
    what: 'A command is set up to run at startup or on a schedule.',
    hint: 'Find out what the command does, and decide whether to keep it.',
    find: /\|\s{0,20}crontab\s{1,20}-|\blaunchctl\s{1,20}(?:load|bootstrap)\b|\bsystemctl\s{1,20}(?:--user\s{1,20})?enable\b|\bschtasks\b[^\n]{0,40}\/create\b/gi,
    only: 'code',
  },
  {
    id: 'weakening',
    severity: 'medium',
    what: 'A system protection is turned off, or traces are removed.',
    hint: 'Leave the protection on, and find out why this change is needed.',
    find: /\bchmod\s{1,20}(?:-\w{1,20}\s{1,20})?(?:[ugo]{0,3}\+s|[46]7[57][57])\s{1,20}\S|\bNOPASSWD:\s{0,20}ALL\b[^\n]{0,80}(?:>|tee)|\bsetenforce\s{1,20}0\b|\bSet-MpPreference\b[^\n]{0,80}-Disable|\bAdd-MpPreference\b[^\n]{0,80}-ExclusionPath|\bspctl\s{1,20}--(?:master|global)-disable\b|\bcsrutil\s{1,20}disable\b|\bhistory\s{1,20}-c\b|\bunset\s{1,20}HISTFILE\b|\bHISTFILE=\/dev\/null\b|\bchmod\s{1,20}(?:-R\s{1,20})?0?777\s{1,20}\/(?:etc|usr|var|home|root)?(?=[\s;&]|$)/g,
  },
  {
    id: 'miner',
    severity: 'high',
    what: 'A cryptocurrency miner is set up.',
    hint: damageHint,
    find: /\bstratum\+(?:tcp|ssl):\/\/|\bxmrig\b[^\n]{0,80}(?:\s-[ou]\s|--url|--donate)/gi,
  },
];

const id = 'download-and-run';
const what = 'Downloaded code runs without review.';
const downloadHint = 'Read the file at this address, and run only the copy that you have read.';

const shell = String.raw`(?:(?:sudo|env|nohup|exec)\s{1,20}(?:-\S{1,40}\s{1,20})?){0,2}(?:/usr)?(?:/local)?(?:/bin/)?(?:(?:ba|z|da|k|fi)?sh|source)\b(?!\s{1,20}-n\b)`;
const interpreter = String.raw`(?:sudo\s{1,20})?(?:python[23]?|perl|ruby|node|php)\b(?=\s{0,20}(?:-(?:\s|$)|[\n;&)"'\x60]|$))`;

const piped = new RegExp(
  String.raw`\b(?:curl|wget|aria2c)\b[^|\n]{3,300}\|\s{0,20}(?:(?:tee|cat|tac|gunzip|gzip|zcat|tr|sed)\b[^|\n]{0,80}\|\s{0,20})?(?:${shell}|${interpreter}|xargs\s[^|\n]{0,40}\b(?:ba|z)?sh\b)`,
  'gi',
);
const substituted =
  /(?:\b(?:(?:ba|z|da|k)?sh|eval|source)\b|^[ \t]{0,20}\.)[ \t]{1,20}(?:-\w{1,20}[ \t]{1,20})?(?:<[ \t]{0,20}<\(|["']?(?:<\(|\$\(|`))[ \t]{0,20}(?:sudo[ \t]{1,20})?(?:curl|wget)\b[^\n]{3,300}/gim;
const powershell =
  /\b(?:iwr|irm|curl|wget|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b[^|\n]{3,300}\|\s{0,20}(?:iex|Invoke-Expression)\b|\b(?:iex|Invoke-Expression)\s{0,20}[("'$&][^|\n]{0,80}\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b[^\n]{0,200}/gi;
const saved =
  /\b(?:curl|wget|aria2c)\b(?:(?!\s-[a-zA-Z]{0,6}[oO]\b|\s--output|>)[^|\n]){0,200}(?:\s-[a-zA-Z]{0,6}[oO]|\s--output(?:-document)?[ =]|>)[ \t]{0,20}["']?([^\s"';|&>-][^\s"';|&]{2,100})(?=[\s"';|&])["']?(?:[^\n]{0,120}\n){0,3}?[^\n]{0,120}?(?:\bchmod[ \t]{1,20}\S{1,8}[ \t]{1,20}|\b(?:ba|z|da)?sh[ \t]{1,20}|\bpython3?[ \t]{1,20}|\bnohup[ \t]{1,20}|\bsource[ \t]{1,20})["']?\1(?![\w.-])/g;

// Addresses that reputable projects do not use: bare IP addresses, unencrypted URLs and throwaway hosts.
const odd =
  /\bhttp:\/\/(?!localhost\b|127\.|\[::1\]|0\.0\.0\.0)|\bhttps?:\/\/(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b|(?:pastebin\.com|paste\.ee|rentry\.co|hastebin|dpaste|ghostbin|glot\.io|ix\.io|0x0\.st|termbin|transfer\.sh|file\.io|catbox\.moe|ngrok|trycloudflare|serveo\.net|bit\.ly|tinyurl|is\.gd|t\.ly|cdn\.discordapp|gist\.githubusercontent|webhook\.site|\.onion)\b/i;
// Official installer commands of well-known projects. A command that also contains another address does not
// match.
const known =
  /^(?![^]*https?:[^]*https?:)[^]*https:\/\/(?:(?:www\.)?(?:astral\.sh|sh\.rustup\.rs|bun\.(?:sh|com)|deno\.(?:land|com)|get\.docker\.com|fnm\.vercel\.app|get\.pnpm\.io|install\.python-poetry\.org|starship\.rs|ollama\.(?:com|ai)|tailscale\.com|foundry\.paradigm\.xyz|get\.sdkman\.io|(?:deb|rpm)\.nodesource\.com|claude\.ai|cli\.github\.com|fly\.io|get\.k3s\.io|pyenv\.run|volta\.sh|get\.volta\.sh|mise\.run|install\.determinate\.systems|nixos\.org|sh\.brew\.sh|get\.scoop\.sh|community\.chocolatey\.org|sdk\.cloud\.google\.com|pixi\.sh|micro\.mamba\.pm|bootstrap\.pypa\.io|repo\.anaconda\.com|download\.pytorch\.org|cursor\.com|opencode\.ai|openclaw\.ai|clawd\.bot|release\.solana\.com|release\.anza\.xyz|wasmtime\.dev|rustwasm\.github\.io|get\.helm\.sh|dl\.k8s\.io)(?=[/\s"'|)]|$)|raw\.githubusercontent\.com\/(?:Homebrew|nvm-sh|helm|pyenv|asdf-vm|k3d-io|ohmyzsh|denoland|oven-sh|aquasecurity|anchore|golangci)\/)/i;

function inThreeGrades(find: RegExp): readonly AuditPattern[] {
  const plain = { id, what, hint: downloadHint, find };
  return [
    {
      ...plain,
      severity: 'high',
      line: odd,
      what: 'Code downloaded from a suspicious address runs without review.',
    },
    { ...plain, severity: 'low', within: known, what: 'A well-known installer is downloaded and run.' },
    {
      ...plain,
      severity: 'medium',
      unless: /\|\s{0,20}(?:ba)?sh\s{1,20}-n\b|\b(?:localhost|127\.0\.0\.1)\b/,
    },
  ];
}

/** Patterns for code that is downloaded and run before anyone has read it. */
export const downloadPatterns: readonly AuditPattern[] = [
  ...[piped, substituted, powershell, saved].flatMap(inThreeGrades),
  {
    id,
    severity: 'high',
    what: 'Code is fetched from the network and evaluated.',
    hint: downloadHint,
    find: /(?<![.\w$])(?:exec|eval|new\s{1,20}Function|Function)\s{0,20}\(\s{0,20}[^\n]{0,120}?(?:urlopen|requests\.get|httpx\.get|\bfetch\(|URI\.open|axios\.get|file_get_contents\(\s{0,20}['"]https?:)[^\n]{0,80}/g,
  },
  {
    id,
    severity: 'medium',
    what: 'Data is fetched from the network right next to where code is evaluated.',
    hint: downloadHint,
    find: /(?<![.\w$])(?:exec|eval|new\s{1,20}Function|vm\.runIn\w{3,20}|importlib\.util\.module_from_spec)\s{0,20}\(\s{0,20}(?=[^\s)])[^\n]{0,100}/g,
    near: /\b(?:urlopen|requests\.get|httpx\.get|URI\.open|axios\.get|urlretrieve)\s{0,20}\(|\b(?:fetch|get|request)\(\s{0,20}['"`]https?:|http\.client\.HTTPS?Connection/,
    unless: /^\s{0,20}(?:#|\/\/|\*)/,
    only: 'code',
  },
  {
    id: 'locked-archive',
    severity: 'high',
    what: 'A download comes in a password-protected archive, which no scanner can open.',
    hint: 'Do not open it; legitimate projects do not hide their programs from scanners.',
    find: /\b(?:extract|unzip|unpack|unrar|archive|\.zip|\.rar|\.7z)\b[^\n]{0,80}?\b(?:pass(?:word|phrase|code)?)\b["'`*]{0,3}\s{0,20}(?:[:=]|is\b|-p)\s{0,20}\S{1,40}/gi,
    near: /https?:\/\/|\bdownload/i,
  },
  {
    id: 'paste-to-run',
    severity: 'high',
    what: 'The text asks the reader to run commands from a page that anyone can edit.',
    hint: 'Do not follow the link; its content can change at any time.',
    find: /\b(?:pastebin\.com|paste\.ee|rentry\.(?:co|org)|hastebin\.com|dpaste\.(?:com|org)|ghostbin\.\w{2,6}|glot\.io|termbin\.com|ix\.io|telegra\.ph|justpaste\.it)\/[^\n]{0,200}/gi,
    near: /\b(?:terminal|command|execute|paste (?:it|the)|install|prerequisite|required|setup)\b/i,
  },
];

const encodedHint = 'Decode the obfuscated code without running it, and read the result.';
const blob = 'A long encoded block is decoded and run.';

/** Patterns for code that is obfuscated to hide what it does from readers. */
export const encodedPatterns: readonly AuditPattern[] = [
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'An encoded command is decoded and run.',
    hint: encodedHint,
    find: /(?:\bbase(?:64|32)\s{1,20}(?:-[dD]\b|-di\b|--decode)|\bopenssl\s{1,20}(?:enc\s{1,20})?-?base64\b[^\n|]{0,40}\s-d\b|\bopenssl\s{1,20}enc\s{1,20}-d\b|\bxxd\s{1,20}-[rp]{1,2}\b|\bcertutil\s{1,20}-decode\b|\bb64decode\b)[^\n]{0,120}?\|\s{0,20}(?:sudo\s{1,20})?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k)?sh|python[23]?|perl|node|ruby)\b(?!\s{1,20}-[cm]\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'An encoded command is decoded and run.',
    hint: encodedHint,
    find: /\b(?:eval|(?:ba|z|da)?sh\s{1,20}-c|(?:ba|z|da)?sh\s{0,20}<<<|source|(?:ba|z)?sh)\s{1,20}["']?(?:<\(|\$\(|`)[^\n]{0,600}?(?:\bbase(?:64|32)\s{1,20}(?:-[dD]\b|--decode)|\bxxd\s{1,20}-[rp]|\bopenssl\s[^\n]{0,40}-d\b|\brev\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'A command that is reversed or has substituted characters is decoded and run.',
    hint: encodedHint,
    find: /\|\s{0,20}(?:rev|tr\s[^\n|]{3,80})\s{0,20}\|\s{0,20}(?:sudo\s{1,20})?(?:ba|z|da)?sh\b|\bprintf\s[^\n|]{0,20}(?:\\x[0-9a-f]{2}|\\0?[0-7]{3}){3}[^\n|]{0,300}\|\s{0,20}(?:ba|z|da)?sh\b/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'A program name is split up so that a search does not find it.',
    hint: encodedHint,
    find: /(?<![\w\\'"])(?:c(?:\\|''|"")url|cu(?:\\|''|"")rl|cur(?:\\|''|"")l|w(?:\\|''|"")get|wg(?:\\|''|"")et|wge(?:\\|''|"")t|b(?:\\|''|"")ash|ba(?:\\|''|"")sh|bas(?:\\|''|"")h)(?=[ \t])/g,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'Encoded code is decoded and evaluated.',
    hint: encodedHint,
    find: /(?:(?<![.\w$])(?:eval|exec|(?:new\s{1,20})?Function|assert)|(?<![\w$])(?:system|popen|execSync|(?:cp|child_process|['"]\))\.exec))\s{0,20}\(\s{0,20}[^\n]{0,100}?(?:\batob\(|b64decode\(|base64_decode\(|a85decode\(|b32decode\(|bytes\.fromhex\(|unhexlify\(|codecs\.decode\(|zlib\.decompress\(|marshal\.loads\(|gzinflate\(|str_rot13\(|\bpack\(\s{0,20}['"]H|unescape\(\s{0,20}['"]%|String\.fromCharCode\(|decode64\(|Buffer\.from\(\s{0,20}['"][^'"\n]{8,600}['"]\s{0,20},\s{0,20}['"](?:base64|hex)['"])/g,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'PowerShell runs an encoded command.',
    hint: encodedHint,
    find: /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}?\s-e(?:nc?|nco\w{0,12})?\s{1,20}["']?[A-Za-z0-9+/=]{30,60}|\bFromBase64String\b[^\n]{0,300}\b(?:iex|Invoke-Expression)\b|\b(?:iex|Invoke-Expression)\b[^\n]{0,200}\bFromBase64String\b/gi,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: blob,
    hint: encodedHint,
    find: /(?<![\w+/=,-])[A-Za-z0-9+/]{200}/g,
    near: /(?<![.\w$])(?:eval|exec|execSync|Function|os\.system|subprocess\.\w{2,12})\s{0,20}\(|\|\s{0,20}(?:ba|z)?sh\b/,
    unless:
      /\bdata:(?:image|font|audio|video|application\/(?:wasm|font|json))|"integrity"|sourceMappingURL|\bsha(?:256|384|512)-|\bAGFzbQ/,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: 'Text is built from character codes so that it cannot be read.',
    hint: encodedHint,
    find: /\bString\.fromCharCode\s{0,20}\(\s{0,20}(?:(?:0x)?[0-9a-f]{2,3}\s{0,20},\s{0,20}){12}|(?:\bchr\(\s{0,20}(?:0x)?[0-9a-f]{2,3}\s{0,20}\)\s{0,20}[+.]\s{0,20}){6}|\[char\]\s{0,20}\d{2,3}(?:\s{0,20}\+\s{0,20}\[char\]\s{0,20}\d{2,3}){6}|\$'(?:\\x[0-9a-f]{2}|\\[0-7]{3}){6}/gi,
  },
];
