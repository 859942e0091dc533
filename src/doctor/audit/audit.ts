import { readdirSync, readlinkSync, type Dirent } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { AgentError, decodeText, type Family } from '../../core/index.ts';
import { openDescriptor } from '../../skills/discover/draft.ts';
import { targetOf } from '../../skills/discover/links.ts';
import { skillsRoot, type Root } from '../../skills/discover/listing.ts';
import { standardRoots } from '../../skills/discover/roots.ts';
import { bareDisk } from '../../skills/discover/scan-state.ts';
import { scan } from '../../skills/discover/scan.ts';
import { defaultSkillLimits, type SkillLimits } from '../../skills/limits.ts';
import { compareFindings, findingsAboutUnread, type AuditDiagnostic, type Unread } from './diagnostic.ts';
import { scanText } from './scan.ts';

/** What was found in one bundle, or in one file that is a skill by itself. */
export interface Audit {
  readonly path: string;
  /** The gravest first. */
  readonly findings: readonly AuditDiagnostic[];
}

/** What is needed to find the bundles in a folder. */
interface AuditOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  /** Folders into which links may lead although they lie outside every root. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** Whether somebody should look before they trust it: something weighs more than low. */
export function isWorrying(findings: readonly AuditDiagnostic[]): boolean {
  return findings.some(({ severity }) => severity !== 'low');
}

/** What is worth a look in all files of a bundle, or in one file; the gravest first. It reads, and runs nothing. */
export function auditBundle(path: string): readonly AuditDiagnostic[] {
  const { files, unread } = contentsOf(path);
  const found = files.flatMap((file) => auditFile(file, unread));
  return [...found, ...findingsAboutUnread(unread, path)].sort(compareFindings);
}

/** Audits a bundle, every bundle in a folder, or a file; a folder without a bundle is taken as one. */
export function auditPath(path: string, options: AuditOptions): readonly Audit[] {
  const target = targetOf(path);
  if (target === undefined || target.kind === 'other') {
    const hint = 'Name a skill folder, a folder of skills or a file.';
    throw new AgentError('usage.not-found', `There is nothing at "${path}" that can be read.`, { hint });
  }
  if (target.kind === 'file') return [{ path, findings: auditBundle(path) }];
  const here: Root = { path, source: 'explicit', kind: skillsRoot };
  const inside = standardRoots({ startDir: path, searchUpwards: false }, options.families);
  const audits = auditRoots([here, ...inside], options);
  return audits.length > 0 ? audits : [{ path, findings: auditBundle(path) }];
}

/** Audits every bundle below the given roots, each once. */
export function auditRoots(roots: readonly Root[], options: AuditOptions): readonly Audit[] {
  const { found } = scan(roots, { ...options, disk: bareDisk(options.limits) });
  const paths = new Map(
    found.map(({ loose, file, realFile, dir, realDir }) => (loose ? [realFile, file] : [realDir, dir])),
  );
  return [...paths.values()].map((path) => ({ path, findings: auditBundle(path) }));
}

const limits = { ...defaultSkillLimits, descriptorBytes: 1_048_576 };
/** Bytes in which a NUL makes a file no text. */
const head = 8_192;
// Files that are run or read as text whatever they hold.
const textNames = /\.(?:md|txt|sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd|json|ya?ml|toml)$/i;

/** What is found in one file; one that is not read is added to the unread. Never throws. */
function auditFile(file: string, unread: Unread[]): readonly AuditDiagnostic[] {
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

/** What lies in a bundle. */
interface Contents {
  /** Regular files, sorted; whether each is a text shows when it is read. */
  readonly files: readonly string[];
  /** What is passed over; whoever reads the files adds to it. */
  readonly unread: Unread[];
}

const mostFiles = 2_000;
/** Folders whose content is made by programs. */
const passedOver = new Set(['node_modules', '.git']);

/** The files of a bundle, hidden ones too; links are not followed, and what is passed over is said. Never throws. */
function contentsOf(path: string): Contents {
  const contents = { files: new Array<string>(), unread: new Array<Unread>() };
  const target = targetOf(path);
  if (target?.kind === 'file') contents.files.push(target.real);
  else if (target?.kind === 'folder') collect(resolve(path), target.real, contents);
  return contents;
}

function collect(
  bundle: string,
  real: string,
  { files, unread }: { files: string[]; unread: Unread[] },
): void {
  const folders = [bundle];
  for (const folder of folders) {
    for (const entry of entriesIn(folder, unread)) {
      const path = join(folder, entry.name);
      if (files.length + folders.length >= mostFiles) {
        unread.push({ file: bundle, why: 'too-many' });
        return;
      }
      if (entry.isSymbolicLink()) noteLink(path, real, unread);
      else if (entry.isFile()) files.push(path);
      else if (!entry.isDirectory()) unread.push({ file: path, why: 'no-file' });
      else if (passedOver.has(entry.name)) unread.push({ file: path, why: 'not-entered' });
      else folders.push(path);
    }
  }
}

function entriesIn(folder: string, unread: Unread[]): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    unread.push({ file: folder, why: 'unreadable' });
    return [];
  }
}

/** A link within the bundle leads to what is read anyway. */
function noteLink(path: string, bundle: string, unread: Unread[]): void {
  const real = targetOf(path)?.real;
  if (real === bundle || real?.startsWith(bundle + sep) === true) return;
  unread.push({ file: path, why: 'link-outside', target: real ?? writtenTarget(path) });
}

function writtenTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // gone meanwhile
  }
}
