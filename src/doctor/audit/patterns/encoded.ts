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
    find: /(?:\bbase(?:64|32)\s{1,20}(?:-[dD]\b|-di\b|--decode)|\bopenssl\s{1,20}(?:enc\s{1,20})?-?base64\b[^\n|]{0,40}\s-d\b|\bopenssl\s{1,20}enc\s{1,20}-d\b|\bxxd\s{1,20}-[rp]{1,2}\b|\bcertutil\s{1,20}-decode\b|\bb64decode\b)[^\n]{0,120}?\|\s{0,20}(?:sudo\s{1,20})?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k)?sh|python[23]?|perl|node|ruby)\b(?!\s{1,20}-[cm]\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'An encoded command is decoded and run.',
    hint,
    find: /\b(?:eval|(?:ba|z|da)?sh\s{1,20}-c|(?:ba|z|da)?sh\s{0,20}<<<|source|(?:ba|z)?sh)\s{1,20}["']?(?:<\(|\$\(|`)[^\n]{0,600}?(?:\bbase(?:64|32)\s{1,20}(?:-[dD]\b|--decode)|\bxxd\s{1,20}-[rp]|\bopenssl\s[^\n]{0,40}-d\b|\brev\b)/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'A command written backwards or in replaced letters is run.',
    hint,
    find: /\|\s{0,20}(?:rev|tr\s[^\n|]{3,80})\s{0,20}\|\s{0,20}(?:sudo\s{1,20})?(?:ba|z|da)?sh\b|\bprintf\s[^\n|]{0,20}(?:\\x[0-9a-f]{2}|\\0?[0-7]{3}){3}[^\n|]{0,300}\|\s{0,20}(?:ba|z|da)?sh\b/gi,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'The name of a program is broken up, so that a search does not find it.',
    hint,
    find: /(?<![\w\\'"])(?:c(?:\\|''|"")url|cu(?:\\|''|"")rl|cur(?:\\|''|"")l|w(?:\\|''|"")get|wg(?:\\|''|"")et|wge(?:\\|''|"")t|b(?:\\|''|"")ash|ba(?:\\|''|"")sh|bas(?:\\|''|"")h)(?=[ \t])/g,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'Encoded code is decoded and evaluated.',
    hint,
    find: /(?:(?<![.\w$])(?:eval|exec|(?:new\s{1,20})?Function|assert)|(?<![\w$])(?:system|popen|execSync|(?:cp|child_process|['"]\))\.exec))\s{0,20}\(\s{0,20}[^\n]{0,100}?(?:\batob\(|b64decode\(|base64_decode\(|a85decode\(|b32decode\(|bytes\.fromhex\(|unhexlify\(|codecs\.decode\(|zlib\.decompress\(|marshal\.loads\(|gzinflate\(|str_rot13\(|\bpack\(\s{0,20}['"]H|unescape\(\s{0,20}['"]%|String\.fromCharCode\(|decode64\(|Buffer\.from\(\s{0,20}['"][^'"\n]{8,600}['"]\s{0,20},\s{0,20}['"](?:base64|hex)['"])/g,
  },
  {
    id: 'encoded-command',
    severity: 'high',
    what: 'PowerShell is given an encoded command.',
    hint,
    find: /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}?\s-e(?:nc?|nco\w{0,12})?\s{1,20}["']?[A-Za-z0-9+/=]{30,60}|\bFromBase64String\b[^\n]{0,300}\b(?:iex|Invoke-Expression)\b|\b(?:iex|Invoke-Expression)\b[^\n]{0,200}\bFromBase64String\b/gi,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: blob,
    hint,
    find: /(?<![\w+/=,-])[A-Za-z0-9+/]{200}/g,
    near: /(?<![.\w$])(?:eval|exec|execSync|Function|os\.system|subprocess\.\w{2,12})\s{0,20}\(|\|\s{0,20}(?:ba|z)?sh\b/,
    unless:
      /\bdata:(?:image|font|audio|video|application\/(?:wasm|font|json))|"integrity"|sourceMappingURL|\bsha(?:256|384|512)-|\bAGFzbQ/,
  },
  {
    id: 'encoded-block',
    severity: 'medium',
    what: 'A text is put together from the numbers of its letters, so that it cannot be read.',
    hint,
    find: /\bString\.fromCharCode\s{0,20}\(\s{0,20}(?:(?:0x)?[0-9a-f]{2,3}\s{0,20},\s{0,20}){12}|(?:\bchr\(\s{0,20}(?:0x)?[0-9a-f]{2,3}\s{0,20}\)\s{0,20}[+.]\s{0,20}){6}|\[char\]\s{0,20}\d{2,3}(?:\s{0,20}\+\s{0,20}\[char\]\s{0,20}\d{2,3}){6}|\$'(?:\\x[0-9a-f]{2}|\\[0-7]{3}){6}/gi,
  },
];
