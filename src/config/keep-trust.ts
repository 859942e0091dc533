import { dirname } from 'node:path';
import { isTrustedProject, projectDigest, stateOf, userTrustBook } from './project-trust.ts';
import type { SettingsFile, SettingsPlaces } from './settings-files.ts';

/**
 * Looks at the project of a settings file that its user is about to change; what it gives is called after the change
 * and keeps a trusted project trusted. Only this change is vouched for: what else happened meanwhile is not.
 */
export function keepTrust(
  { layer, file }: SettingsFile,
  places: SettingsPlaces,
  change: (text: string) => string,
): () => Promise<void> {
  const nothing = (): Promise<void> => Promise.resolve();
  if (layer === 'user') return nothing;
  const book = userTrustBook(places);
  const before = stateOf(dirname(dirname(file)));
  if (!isTrustedProject(before, book)) return nothing;
  const { folder } = before;
  return async () => {
    const text = before.files.get(file)?.toString('utf8') ?? '';
    const files = new Map([...before.files, [file, Buffer.from(change(text))]]);
    const digest = projectDigest({ files, variables: before.variables });
    if (digest !== undefined) await book.trustProject({ folder, digest });
  };
}
