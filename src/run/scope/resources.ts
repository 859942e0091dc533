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
import { Keeper } from '../calls/scoped-resources.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { checkedFiles } from '../permissions/attest.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { runsUncontained } from './sandbox.ts';
import type { Outside } from './skills.ts';

/** The call whose scope is made. */
interface ResourcesContext {
  readonly execution: Execution;
  readonly frame: Frame;
  readonly target: CallTarget;
  readonly permitted: PermittedCall;
  readonly outside: Outside;
}

/** What a call opens and others may use after it. */
export function createScopeResources(context: ResourcesContext): ScopeResources {
  const { execution, frame, target, permitted, outside } = context;
  const { kernel } = execution;
  const { skill } = target;
  return {
    open: (key, lifetime, open) =>
      outside(() => {
        const keeper = keeperOf(execution, lifetime);
        return frame.busy(() => keeper.keep(keepKey(skill, lifetime, key), open));
      }),
    database: (place) => outside(() => frame.busy(() => sharedDatabase(execution, place))),
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
          return keeperOf(execution, 'session').keep(key, () =>
            kernel.openServer(which, { skill, mayRunUncontained, ...optional('copy', files?.copy) }),
          );
        }),
      ),
  };
}

function keeperOf({ keeper, kernel, session }: Execution, lifetime: Lifetime): Keeper {
  if (lifetime !== 'session') return lifetime === 'run' ? keeper : kernel.keeper;
  const known = kernel.sessionKeepers.get(session) ?? new Keeper();
  kernel.sessionKeepers.set(session, known);
  return known;
}

/** One for all skills: a database is opened once. */
function sharedDatabase({ kernel }: Execution, place: string | undefined): Promise<Database> {
  return kernel.keeper.keep(JSON.stringify(['database', place ?? null]), () => kernel.openDatabase(place));
}

/** One that settings know is shared by all skills, but where nothing contains it only by those for which a person allowed that; what a skill describes is its own, for each version of its files, since it has what that was granted. */
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

/** Apart for each skill. */
function keepKey({ name }: Skill, lifetime: Lifetime, key: string): string {
  return JSON.stringify([lifetime, name, key]);
}
