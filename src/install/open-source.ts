import { AgentError } from '../core/index.ts';
import { openGit } from './git.ts';
import { openLocal } from './local.ts';
import { openPackage } from './npm.ts';
import { openSite } from './site.ts';
import type { SkillSource } from './source.ts';
import type { ResolvedSource, SourceContext, SourceTree } from './tree.ts';

/**
 * Opens a source. With `locked`, opens exactly that version instead of the newest one. Throws
 * `source.unreachable` if it cannot be reached, and `source.changed` if the locked version is gone.
 */
export async function openSource(
  source: SkillSource,
  context: SourceContext,
  locked?: ResolvedSource,
): Promise<SourceTree> {
  if (source.kind === 'local') return openLocal(source.path);
  if (context.isOffline)
    throw new AgentError('source.unreachable', 'Sources on other machines are not used in offline mode.', {
      hint: 'Leave out --offline, or install from a folder or an archive.',
    });
  if (source.kind === 'git') return openGit(source, context, locked?.commit);
  if (source.kind === 'npm') return openPackage(source, context, locked);
  return openSite(source, context, locked?.digest);
}
