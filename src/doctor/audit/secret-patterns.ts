import type { AuditPattern } from './diagnostic.ts';

const hint = 'Find out where the data goes and why; until then, keep your secrets away from this skill.';

// Files and commands with secrets that belong to the user, not to the skill.
const foreign = String.raw`\.ssh\/(?!known_hosts|config\b|authorized_keys|[\w-]{0,40}\.pub)|\.ssh["'\s]|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.aws\/credentials|\.gnupg\b|\.git-credentials|\.config\/gcloud\/|\/etc\/shadow|\bwallet\.dat\b|\bLogin Data\b|\/(?:Default|Profile \d)\/Cookies\b|\bcookies\.sqlite\b|\blogins\.json\b|\bkey[34]\.db\b|\bLocal Extension Settings\b|\bMetaMask\b[^\n]{0,40}\bvault\b|\blogin\.keychain|\bdump-keychain\b|\bfind-(?:generic|internet)-password\b[^\n]{0,60}\s-[wg]\b|\bkeystore\/UTC--|\.config\/solana\/id\.json`;
const ordinary = String.raw`\.netrc\b|\.npmrc\b|\.pypirc\b|\.docker\/config\.json|\.kube\/config\b|(?<![\w)\]])\.env\b(?!\.(?:example|sample|template))`;
const everything = String.raw`\$\(\s{0,20}(?:env|printenv|set)\s{0,20}\)|(?:^|[\s;&|(])(?:env|printenv)\s{0,20}(?:\||>)|\bJSON\.stringify\(\s{0,20}process\.env\s{0,20}[),]|\bObject\.(?:entries|keys|assign)\([^\n)]{0,10}\bprocess\.env\s{0,20}\)|\bjson\.dumps\(\s{0,20}(?:dict\()?os\.environ\b(?!\[|\.get)|\bos\.environ\.items\(\)|(?:json|data|params|body)\s{0,20}=\s{0,20}(?:dict\()?os\.environ\b(?!\[|\.get)|\.\.\.process\.env\s{0,20}[,}][^\n]{0,40}\bbody\b|\bGet-ChildItem\s{1,20}env:|\bgci\s{1,20}env:`;

const sender = String.raw`\bcurl\b[^\n]{0,200}?(?:\s-(?:d|F|T)\b|\s--(?:data|form|upload|json)|\s-X\s{0,20}(?:POST|PUT)|@-|\$\()|\bwget\b[^\n]{0,120}--post|\b(?:nc|ncat|netcat)\s{1,20}(?:-\w{1,20}\s{1,20}){0,3}[\w.$-]{3,80}\s{1,20}\d{2,5}\b|\b(?:nslookup|dig|host)\s{1,20}[^\n]{0,40}\$|\b(?:requests|httpx|session)\.(?:post|put)\s{0,20}\(|\burlopen\s{0,20}\(|\burllib\.request\.Request\s{0,20}\(|\baxios\.(?:post|put)\s{0,20}\(|\bfetch\s{0,20}\(|\bhttps?\.request\s{0,20}\(|\bsendBeacon\s{0,20}\(|\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^\n]{0,160}-(?:Method\s{1,20}["']?(?:Post|Put)|Body)|\.sendall?\s{0,20}\(|\b(?:discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com|api\.telegram\.org\/bot|webhook\.site|requestbin|pipedream\.net|transfer\.sh|file\.io|oast\.\w|interact\.sh|burpcollaborator)|\bscp\s{1,20}[^\n]{0,120}\S@\S{1,80}:|\brsync\s[^\n]{0,120}\S@\S{1,80}:`;

const anySecret = new RegExp(`${foreign}|${ordinary}|${everything}`);
const secretLocations = String.raw`\.ssh\b|\.aws\/|\.gnupg\b|\.env\b|\bprivate keys?\b|\bseed phrases?\b|\bkeychain\b|\bbrowser (?:cookies|passwords)\b|\b(?:all|every|the|their|user'?s?)\s{1,20}(?:of\s{1,20})?(?:the\s{1,20})?environment variables\b|\b(?:all|any|every)\s{1,20}(?:\w{1,20}\s{1,20}){0,2}(?:API keys?|passwords?|credentials|secrets)\b|\bpassword files?\b|\bcredentials? files?\b`;
const deeds = String.raw`(?:send|sends|sending|post|posts|upload|uploads|append|transmit|forward|exfiltrate|attach|submit|e-?mail|report|leak|include)`;

/** Patterns for text that accesses secrets or sends them out. */
export const secretPatterns: readonly AuditPattern[] = [
  {
    id: 'secrets-sent',
    severity: 'high',
    what: 'Secrets are read and sent away in one command.',
    hint,
    find: new RegExp(sender, 'g'),
    line: anySecret,
    unless:
      /\b(?:export|source|set -a|dotenv|load_dotenv|grep|cut|jq|awk|sed|--env-file)\b|--netrc|-u\s|Authorization|Bearer/i,
  },
  {
    id: 'secrets-sent',
    severity: 'high',
    what: 'Code reads user secrets close to where it sends data.',
    hint,
    find: new RegExp(foreign, 'g'),
    near: new RegExp(sender),
    only: 'code',
  },
  {
    id: 'secrets-sent',
    severity: 'medium',
    what: 'Code collects all environment variables close to where it sends data.',
    hint,
    find: new RegExp(everything, 'gm'),
    near: new RegExp(sender),
    unless: /\benv\s{0,20}[=:]\s{0,20}(?:dict\(|\{)|\bspawn|\bsubprocess/,
  },
  {
    id: 'secrets-sent',
    severity: 'high',
    what: 'The text tells the model to give secrets away.',
    hint,
    find: new RegExp(
      String.raw`\b${deeds}\b[^\n]{0,80}?(?:${secretLocations})[^\n]{0,80}?(?:https?:\/\/|\bwebhook|\b(?:server|endpoint|query string|attacker|collector)\b)|(?:${secretLocations})[^\n]{0,80}?\b(?:and|then)\b[^\n]{0,20}\b${deeds}\b[^\n]{0,80}?(?:https?:\/\/|\bwebhook|\b(?:server|endpoint|query string|collector)\b)`,
      'gi',
    ),
    unless:
      /\b(?:never|do not|don['’]t|avoid|must not|without)\s{1,20}(?:\w{1,20}\s{1,20}){0,2}(?:send|post|upload|append|transmit|forward|attach|submit|includ|report|leak|exfiltrat)|\b(?:Authorization|Bearer)\b/i,
    only: 'prose',
  },
  {
    id: 'secrets-read',
    severity: 'medium',
    what: 'User passwords, keys or cookies are read from where the system keeps them.',
    hint: 'Make sure that this skill has a good reason to access these secrets.',
    find: /\bdump-keychain\b|\b(?:cat|cp|read_text|readFileSync|open)\b[^\n]{0,60}(?:\/etc\/shadow\b|\bLogin Data\b|\/Cookies\b|\bcookies\.sqlite\b|\blogins\.json\b|\bkey4\.db\b|\bwallet\.dat\b)|\bcat\s{1,20}["']?(?:~|\$HOME|\/root)\/\.ssh\/id_\w{1,20}(?!\.pub)\b(?!\.pub)/g,
  },
];
