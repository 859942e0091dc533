import { decodeText } from '../../core/text.ts';
import { openDescriptor } from '../../skills/discover/draft.ts';
import { defaultSkillLimits } from '../../skills/limits.ts';
import type { Finding } from './finding.ts';
import { scanText } from './scan-text.ts';
import type { Unread } from './unread.ts';

const limits = { ...defaultSkillLimits, descriptorBytes: 1_048_576 };
/** Bytes in which a NUL makes a file no text. */
const head = 8_192;
// Files that are run or read as text whatever they hold.
const textNames = /\.(?:md|txt|sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd|json|ya?ml|toml)$/i;

/** What is found in one file; one that is not read is added to the unread. Never throws. */
export function auditFile(file: string, unread: Unread[]): readonly Finding[] {
  try {
    const { bytes, stats } = openDescriptor(file, limits);
    if (stats.size > limits.descriptorBytes) unread.push({ file, why: 'too-large' });
    else if (isProgram(bytes)) unread.push({ file, why: 'program' });
    else if (!isText(bytes) && !textNames.test(file)) unread.push({ file, why: 'no-text' });
    else return scanText(decodeText(bytes, []), file);
  } catch {
    unread.push({ file, why: 'unreadable' });
  }
  return [];
}

function isText(bytes: Buffer): boolean {
  const hasMark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return hasMark || !bytes.subarray(0, head).includes(0);
}

// ELF, Windows, Mach-O in its three spellings.
const signatures = ['7f454c46', '4d5a9000', 'cffaedfe', 'cefaedfe', 'cafebabe'];

function isProgram(bytes: Buffer): boolean {
  return signatures.includes(bytes.toString('hex', 0, 4));
}
