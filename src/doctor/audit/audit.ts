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
import { compareDiagnostics, reportUnread, type AuditDiagnostic, type Unread } from './diagnostic.ts';
import { scanText } from './scan.ts';

/** The audit result for a bundle or a single-file skill. */
export interface Audit {
  readonly path: string;
  /** The diagnostics, most severe first. */
  readonly diagnostics: readonly AuditDiagnostic[];
}

/** Options for finding the bundles in a folder. */
interface AuditOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  /** Folders outside all roots that symbolic links may point to. */
  readonly allowSymlinkTargets?: readonly string[];
}

/**
 * Whether a person should review the files before trusting them. This is so if any diagnostic has medium or
 * high severity.
 */
export function isWorrying(diagnostics: readonly AuditDiagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity !== 'low');
}

/**
 * Audits all files in a bundle, or a single file. Returns the diagnostics, most severe first. Only reads
 * files, and never runs them.
 */
export function auditBundle(path: string): readonly AuditDiagnostic[] {
  const { files, unread } = contentsOf(path);
  const found = files.flatMap((file) => auditFile(file, unread));
  return [...found, ...reportUnread(unread, path)].sort(compareDiagnostics);
}

/**
 * Audits a bundle, every bundle in a folder, or a single file. A folder without bundles is audited as one
 * bundle.
 */
export function auditPath(path: string, options: AuditOptions): readonly Audit[] {
  const target = targetOf(path);
  if (target === undefined || target.kind === 'other') {
    const hint = 'Specify a skill folder, a folder of skills or a file.';
    throw new AgentError('usage.not-found', `No readable file or folder was found at "${path}".`, { hint });
  }
  if (target.kind === 'file') return [{ path, diagnostics: auditBundle(path) }];
  const here: Root = { path, source: 'explicit', kind: skillsRoot };
  const inside = standardRoots({ startDir: path, searchUpwards: false }, options.families);
  const audits = auditRoots([here, ...inside], options);
  return audits.length > 0 ? audits : [{ path, diagnostics: auditBundle(path) }];
}

/** Audits each bundle below the given roots once. */
export function auditRoots(roots: readonly Root[], options: AuditOptions): readonly Audit[] {
  const { found } = scan(roots, { ...options, disk: bareDisk(options.limits) });
  const paths = new Map(
    found.map(({ loose, file, realFile, dir, realDir }) => (loose ? [realFile, file] : [realDir, dir])),
  );
  return [...paths.values()].map((path) => ({ path, diagnostics: auditBundle(path) }));
}

const limits = { ...defaultSkillLimits, descriptorBytes: 1_048_576 };
/** The number of bytes to check at the start of a file. If there is a NUL among them, the file is binary. */
const head = 8_192;
// Files that are always audited as text, even if their content looks binary.
const textNames = /\.(?:md|txt|sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd|json|ya?ml|toml)$/i;

/** Returns the diagnostics for one file. Adds the file to `unread` if it cannot be read. Never throws. */
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

// Magic numbers of executables: ELF, Windows, and the three variants of Mach-O.
const signatures = ['7f454c46', '4d5a9000', 'cffaedfe', 'cefaedfe', 'cafebabe'];

function isProgram(bytes: Buffer): boolean {
  return signatures.includes(bytes.toString('hex', 0, 4));
}

/** The contents of a bundle. */
interface Contents {
  /** The regular files, sorted. Binary files are recognised only when they are read. */
  readonly files: readonly string[];
  /** The entries that were skipped. Files that turn out to be unreadable are added later. */
  readonly unread: Unread[];
}

const maxFiles = 2_000;
/** Folders that are skipped because programs generate or install their content. */
const passedOver = new Set(['node_modules', '.git']);

/**
 * Lists the files of a bundle, including hidden files. Does not follow symbolic links. Records skipped
 * entries. Never throws.
 */
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
      if (files.length + folders.length >= maxFiles) {
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

/**
 * Records a link whose target is outside the bundle. A target inside the bundle is audited as a regular file.
 */
function noteLink(path: string, bundle: string, unread: Unread[]): void {
  const real = targetOf(path)?.real;
  if (real === bundle || real?.startsWith(bundle + sep) === true) return;
  unread.push({ file: path, why: 'link-outside', target: real ?? writtenTarget(path) });
}

function writtenTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // The link was removed after it was listed.
  }
}
