import type { Pattern } from '../pattern.ts';

const hint = 'Decode it without running it, and read what it does.';
const blob = 'A long encoded block is decoded and run.';

/** What is written so that a reader cannot see what it does. */
export const encodedPatterns: readonly Pattern[] = [
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'An encoded command is decoded and run.',
    hint,
    find: /(?:\bbase(?:64|32)\s+(?:-[dD]\b|-di\b|--decode)|\bopenssl\s+(?:enc\s+)?-?base64\b[^\n|]{0,40}\s-d\b|\bopenssl\s+enc\s+-d\b|\bxxd\s+-[rp]{1,2}\b|\bcertutil\s+-decode\b|\bb64decode\b)[^\n]{0,120}?\|\s*(?:sudo\s+)?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k)?sh|python[23]?|perl|node|ruby)\b(?!\s+-[cm]\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'An encoded command is decoded and run.',
    hint,
    find: /\b(?:eval|(?:ba|z|da)?sh\s+-c|(?:ba|z|da)?sh\s*<<<|source|(?:ba|z)?sh)\s+["']?(?:<\(|\$\(|`)[^\n]{0,600}?(?:\bbase(?:64|32)\s+(?:-[dD]\b|--decode)|\bxxd\s+-[rp]|\bopenssl\s[^\n]{0,40}-d\b|\brev\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'A command written backwards or in replaced letters is run.',
    hint,
    find: /\|\s*(?:rev|tr\s[^\n|]{3,80})\s*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\bprintf\s[^\n|]{0,20}(?:\\x[0-9a-f]{2}|\\0?[0-7]{3}){3}[^\n|]{0,300}\|\s*(?:ba|z|da)?sh\b/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'Encoded code is decoded and evaluated.',
    hint,
    find: /(?:(?<![.\w$])(?:eval|exec|(?:new\s+)?Function|assert)|(?<![\w$])(?:system|popen|execSync|(?:cp|child_process|['\"]\))\.exec))\s*\(\s*[^\n]{0,100}?(?:\batob\(|b64decode\(|base64_decode\(|a85decode\(|b32decode\(|bytes\.fromhex\(|unhexlify\(|codecs\.decode\(|zlib\.decompress\(|marshal\.loads\(|gzinflate\(|str_rot13\(|\bpack\(\s*['"]H|unescape\(\s*['"]%|String\.fromCharCode\(|decode64\(|Buffer\.from\(\s*['"][^'"\n]{8,600}['"]\s*,\s*['"](?:base64|hex)['"])/g,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'PowerShell is given an encoded command.',
    hint,
    find: /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}?\s-e(?:nc?|nco\w{0,12})?\s+["']?[A-Za-z0-9+/=]{30,}|\bFromBase64String\b[^\n]{0,300}\b(?:iex|Invoke-Expression)\b|\b(?:iex|Invoke-Expression)\b[^\n]{0,200}\bFromBase64String\b/gi,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: blob,
    hint,
    find: /(?<![\w+/=,-])[A-Za-z0-9+/]{200,}={0,2}(?![\w+/])/g,
    near: /(?<![.\w$])(?:eval|exec|execSync|Function|os\.system|subprocess\.\w{2,12})\s*\(|\|\s*(?:ba|z)?sh\b/,
    unless: /\bdata:(?:image|font|audio|video|application\/(?:wasm|font|json))|"integrity"|sourceMappingURL|\bsha(?:256|384|512)-|\bAGFzbQ/,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: 'A text is put together from the numbers of its letters, so that it cannot be read.',
    hint,
    find: /\bString\.fromCharCode\s*\(\s*(?:(?:0x)?[0-9a-f]{2,3}\s*,\s*){12}|(?:\bchr\(\s*(?:0x)?[0-9a-f]{2,3}\s*\)\s*[+.]\s*){6}|\[char\]\s*\d{2,3}(?:\s*\+\s*\[char\]\s*\d{2,3}){6}|\$'(?:\\x[0-9a-f]{2}|\\[0-7]{3}){6}/gi,
  },
];
