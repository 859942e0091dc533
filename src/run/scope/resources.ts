import {
  hashOf,
  optional,
  type Database,
  type Json,
  type Lifetime,
  type ScopeResources,
  type ServerDescription,
  type Skill,
} from '../../core/index.ts';
import type { CallTarget, Frame } from '../calls/frame.ts';
import { ScopedResources } from '../calls/scoped-resources.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { checkedFiles } from '../permissions/attest.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { runsUncontained } from './sandbox.ts';
import type { Outside } from './skills.ts';

/** The call that the resources belong to. */
interface ResourcesContext {
  readonly execution: Execution;
  readonly frame: Frame;
  readonly target: CallTarget;
  readonly permitted: PermittedCall;
  readonly outside: Outside;
}

/** Creates a scope's access to resources, which other calls can share. */
export function createScopeResources(context: ResourcesContext): ScopeResources {
  const { execution, frame, target, permitted, outside } = context;
  const { kernel } = execution;
  const { skill } = target;
  return {
    open: (key, lifetime, open) =>
      outside(() => {
        const resources = resourcesFor(execution, lifetime);
        return frame.busy(() => resources.open(resourceKey(skill, lifetime, key), open));
      }),
    database: (location) => outside(() => frame.busy(() => sharedDatabase(execution, location))),
    get servers() {
      return kernel.serverNames();
    },
    server: (which) =>
      outside(() =>
        frame.busy(async () => {
          const mayRunUncontained = await runsUncontained(kernel, target);
          const files =
            typeof which === 'string' ? undefined : await checkedFiles(kernel, skill, permitted.versions);
          const key = serverKey(skill, which, mayRunUncontained, files?.digest);
          return resourcesFor(execution, 'session').open(key, () =>
            kernel.openServer(which, { skill, mayRunUncontained, ...optional('copy', files?.copy) }),
          );
        }),
      ),
  };
}

function resourcesFor({ resources, kernel, session }: Execution, lifetime: Lifetime): ScopedResources {
  if (lifetime !== 'session') return lifetime === 'run' ? resources : kernel.resources;
  const known = kernel.sessionResources.get(session) ?? new ScopedResources();
  kernel.sessionResources.set(session, known);
  return known;
}

/** Opens a database once for all skills. */
function sharedDatabase({ kernel }: Execution, location: string | undefined): Promise<Database> {
  return kernel.resources.open(JSON.stringify(['database', location ?? null]), () =>
    kernel.openDatabase(location),
  );
}

/**
 * Returns the key under which calls share a server. A server from the settings is shared by all skills, or,
 * if it runs unsandboxed, by the skills that may run unsandboxed. A server that a skill describes belongs to
 * this skill and file version, because it has the skill's grants.
 */
function serverKey(
  { name, source, file }: Skill,
  which: string | ServerDescription,
  isUncontained: boolean,
  digest = '',
): string {
  return typeof which === 'string'
    ? JSON.stringify(['server', which, isUncontained])
    : JSON.stringify(['server', name, source, file, digest, hashOf(which as unknown as Json)]);
}

/** Returns the key of a resource that belongs to a skill. */
function resourceKey({ name }: Skill, lifetime: Lifetime, key: string): string {
  return JSON.stringify([lifetime, name, key]);
}
