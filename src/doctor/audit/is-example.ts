import type { Place } from './place.ts';

// What a text speaks of that warns of attacks, or teaches how to find them.
const warns =
  /❌|🚫|⛔|\b(?:dangerous|malicious\w*|malware|attack(?:s|er|ers)?|injections?|exploit(?:s|ation)?|vulnerab\w*|unsafe|insecure|red flags?|suspicious|blocklist|denylist|detect(?:s|ed|ion|ing)?|refuse[sd]?|reject(?:s|ed)?|forbidden|prohibited|threats?|jailbreak\w*|phishing|adversar\w*|scans? for|anti-?patterns?|what not to|pentest\w*|red[- ]team\w*|ctf|exfiltration|evil)\b/i;
// What leads to words that somebody else might say.
const tellsOf =
  /\b(?:instructions?|attempts?|requests?|messages?|phrases?|emails?|asks?|asking|tries|trying|says?|saying|like)\s+(?:\w+\s+){0,3}$/i;
const forbids = /\b(?:never|don['’]t|do not|avoid|must not)\b[^.\n]{0,60}$/i;
const quotes = /["“'‘`«]\s*$/;
// A quote that is the whole value of a field, or something to run, is no mention.
const meansIt =
  /(?:^\s*[\w-]+:\s*|\b(?:run|running|execute|type|paste|enter|use|then|with|first)\b[^"“'‘`«]{0,30})["“'‘`«]\s*$/i;

/** Whether prose names something bad as an example: it warns of it, forbids it, or only quotes it. A guess, for the severity; what runs is none. */
export function isExample({ before, lines, found, above, isRun }: Place): boolean {
  if (isRun) return false;
  if (warns.test(above) || warns.test(lines.replace(found, ''))) return true;
  if (forbids.test(before) || tellsOf.test(before)) return true;
  return quotes.test(before) && !meansIt.test(before);
}
