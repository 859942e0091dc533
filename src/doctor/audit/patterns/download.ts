import type { Pattern } from '../pattern.ts';

const id = 'download-and-run';
const what = 'Something is downloaded and run unseen.';
const hint = 'Read what stands at the address, and run a copy that you have read.';

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

// Addresses that nobody gives who has a name to lose: plain numbers, no encryption, throw-away places.
const odd =
  /\bhttp:\/\/(?!localhost\b|127\.|\[::1\]|0\.0\.0\.0)|\bhttps?:\/\/(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b|(?:pastebin\.com|paste\.ee|rentry\.co|hastebin|dpaste|ghostbin|glot\.io|ix\.io|0x0\.st|termbin|transfer\.sh|file\.io|catbox\.moe|ngrok|trycloudflare|serveo\.net|bit\.ly|tinyurl|is\.gd|t\.ly|cdn\.discordapp|gist\.githubusercontent|webhook\.site|\.onion)\b/i;
// The installers of well-known projects, as their own documentation gives them, and no second address.
const known =
  /^(?![^]*https?:[^]*https?:)[^]*https:\/\/(?:(?:www\.)?(?:astral\.sh|sh\.rustup\.rs|bun\.(?:sh|com)|deno\.(?:land|com)|get\.docker\.com|fnm\.vercel\.app|get\.pnpm\.io|install\.python-poetry\.org|starship\.rs|ollama\.(?:com|ai)|tailscale\.com|foundry\.paradigm\.xyz|get\.sdkman\.io|(?:deb|rpm)\.nodesource\.com|claude\.ai|cli\.github\.com|fly\.io|get\.k3s\.io|pyenv\.run|volta\.sh|get\.volta\.sh|mise\.run|install\.determinate\.systems|nixos\.org|sh\.brew\.sh|get\.scoop\.sh|community\.chocolatey\.org|sdk\.cloud\.google\.com|pixi\.sh|micro\.mamba\.pm|bootstrap\.pypa\.io|repo\.anaconda\.com|download\.pytorch\.org|cursor\.com|opencode\.ai|openclaw\.ai|clawd\.bot|release\.solana\.com|release\.anza\.xyz|wasmtime\.dev|rustwasm\.github\.io|get\.helm\.sh|dl\.k8s\.io)(?=[/\s"'|)]|$)|raw\.githubusercontent\.com\/(?:Homebrew|nvm-sh|helm|pyenv|asdf-vm|k3d-io|ohmyzsh|denoland|oven-sh|aquasecurity|anchore|golangci)\/)/i;

function inThreeGrades(find: RegExp): readonly Pattern[] {
  const plain = { id, what, hint, find };
  return [
    {
      ...plain,
      severity: 'high',
      line: odd,
      what: 'Something is downloaded from an odd address and run unseen.',
    },
    { ...plain, severity: 'low', within: known, what: 'A well-known installer is downloaded and run.' },
    {
      ...plain,
      severity: 'medium',
      unless: /\|\s{0,20}(?:ba)?sh\s{1,20}-n\b|\b(?:localhost|127\.0\.0\.1)\b/,
    },
  ];
}

/** What runs that nobody has seen yet. */
export const downloadPatterns: readonly Pattern[] = [
  ...[piped, substituted, powershell, saved].flatMap(inThreeGrades),
  {
    id,
    severity: 'high',
    what: 'Code is fetched from the network and evaluated.',
    hint,
    find: /(?<![.\w$])(?:exec|eval|new\s{1,20}Function|Function)\s{0,20}\(\s{0,20}[^\n]{0,120}?(?:urlopen|requests\.get|httpx\.get|\bfetch\(|URI\.open|axios\.get|file_get_contents\(\s{0,20}['"]https?:)[^\n]{0,80}/g,
  },
  {
    id,
    severity: 'medium',
    what: 'Something is fetched from the network, and something is evaluated right beside it.',
    hint,
    find: /(?<![.\w$])(?:exec|eval|new\s{1,20}Function|vm\.runIn\w{3,20}|importlib\.util\.module_from_spec)\s{0,20}\(\s{0,20}(?=[^\s)])[^\n]{0,100}/g,
    near: /\b(?:urlopen|requests\.get|httpx\.get|URI\.open|axios\.get|urlretrieve)\s{0,20}\(|\b(?:fetch|get|request)\(\s{0,20}['"`]https?:|http\.client\.HTTPS?Connection/,
    unless: /^\s{0,20}(?:#|\/\/|\*)/,
    only: 'code',
  },
  {
    id: 'locked-archive',
    severity: 'high',
    what: 'A download comes in an archive with a password, which no scanner can look into.',
    hint: 'Do not open it; honest projects do not hide their programs from scanners.',
    find: /\b(?:extract|unzip|unpack|unrar|archive|\.zip|\.rar|\.7z)\b[^\n]{0,80}?\b(?:pass(?:word|phrase|code)?)\b["'`*]{0,3}\s{0,20}(?:[:=]|is\b|-p)\s{0,20}\S{1,40}/gi,
    near: /https?:\/\/|\bdownload/i,
  },
  {
    id: 'paste-to-run',
    severity: 'high',
    what: 'Commands from a page that anybody can write are to be run.',
    hint: 'Do not follow the link; the text behind it can change at any time.',
    find: /\b(?:pastebin\.com|paste\.ee|rentry\.(?:co|org)|hastebin\.com|dpaste\.(?:com|org)|ghostbin\.\w{2,6}|glot\.io|termbin\.com|ix\.io|telegra\.ph|justpaste\.it)\/[^\n]{0,200}/gi,
    near: /\b(?:terminal|command|execute|paste (?:it|the)|install|prerequisite|required|setup)\b/i,
  },
];
