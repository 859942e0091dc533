import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits } from '../core/text.ts';
import { reasonOf } from '../core/error.ts';
import type { Issue } from '../core/issue.ts';
import { systemCode } from '../files/file-fault.ts';

const mostSpecs = 500;
const mostEntries = 10_000;

/** The paths of all specs below a folder, from it, sorted; undefined where there is no folder. Never throws. */
export function findSpecs(
  root: string,
): { readonly paths: readonly string[]; readonly issues: readonly Issue[] } | undefined {
  const kind = kindOf(root);
  if (kind === 'none') return undefined;
  if (kind === 'link') return { paths: [], issues: [linkIssue(root)] };
  const paths: string[] = [];
  const issues: Issue[] = [];
  const folders = [''];
  let entries = 0;
  for (const folder of folders) {
    for (const entry of list(join(root, folder), issues)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      entries++;
      if (entry.isSymbolicLink()) issues.push(linkIssue(join(root, path)));
      else if (entry.isDirectory()) folders.push(path);
      else if (isSpec(entry.name)) paths.push(path);
    }
    if (paths.length > mostSpecs || entries > mostEntries) return { paths: [], issues: [tooMany(root)] };
  }
  return { paths: paths.sort(byCodeUnits), issues };
}

function isSpec(name: string): boolean {
  return /\.mds?$/i.test(name);
}

function kindOf(root: string): 'folder' | 'link' | 'none' {
  try {
    const stats = lstatSync(root);
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'folder' : 'none';
  } catch {
    return 'none'; // whoever needs the folder of the skill learns why
  }
}

function list(folder: string, issues: Issue[]): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (thrown) {
    const reason = systemCode(thrown) ?? reasonOf(thrown);
    const message = `The folder of specs cannot be read: ${reason}.`;
    issues.push({ level: 'error', code: 'spec.unreadable', message, file: folder });
    return [];
  }
}

function linkIssue(file: string): Issue {
  return {
    level: 'error',
    code: 'spec.link',
    message: 'Specs are not read through links.',
    file,
    hint: 'Put the file itself there.',
  };
}

function tooMany(file: string): Issue {
  return {
    level: 'error',
    code: 'spec.too-many',
    message: `There are more than ${mostSpecs} specs, or more than ${mostEntries.toLocaleString('en')} files beside them.`,
    file,
    hint: 'Split the skill, or move what is no spec elsewhere.',
  };
}
