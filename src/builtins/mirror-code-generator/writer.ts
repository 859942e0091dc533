import { allOrAbort, createLimiter, type Scope } from '../../core/index.ts';
import type { Spec } from '../../generation/read-specs.ts';
import type { Staging } from '../../generation/staging.ts';
import type { CodeFault } from './check-programs.ts';
import { GeneratorConversation } from './conversation.ts';
import { buildTaskText, type Task } from './prompts.ts';

// Together they stay within the model steps that a frame has unless settings say otherwise: 12 + 2 × 4.
const mostRequests = 12;
const mostRepairs = 4;
const mostAtOnce = 4;

/** Has files written by a model. */
interface Writer {
  /** Writes all of them, each after those that it depends on, and gives what cannot be used. */
  write(): Promise<readonly CodeFault[]>;
  /** Has faulty ones written again: each by itself where every fault has its file, else all together. */
  repair(faults: readonly CodeFault[]): Promise<readonly CodeFault[]>;
}

/** What is asked for at once: a file, or some where there are very many. */
type Unit = readonly Spec[];

/** A writer of the files of some specs, ordered by their dependencies, in a copy of the skill. */
export function createWriter(scope: Scope, staging: Staging, task: Task, due: readonly Spec[]): Writer {
  const model = scope.model('code');
  const limiter = createLimiter(mostAtOnce);
  const read = (target: string): string | undefined => staging.read(target);
  const units = unitsOf(due);
  const [first = due] = units;
  const all: Unit = units.length === 1 ? first : due;
  const conversations = new Map<Unit, GeneratorConversation>();

  const open = (unit: Unit): GeneratorConversation => {
    const targets = unit.map(({ target }) => target);
    const opened =
      conversations.get(unit) ?? new GeneratorConversation(targets, buildTaskText(task, unit), read);
    conversations.set(unit, opened);
    return opened;
  };

  const ask = async (unit: Unit, signal: AbortSignal, isFirst: boolean): Promise<readonly CodeFault[]> => {
    const { files, fault } = await open(unit).ask(model, signal);
    for (const [target, text] of files) staging.write(target, text);
    if (fault !== undefined) return unit === due ? [{ message: fault }] : unit.map(faultIn(fault));
    return isFirst ? unit.filter(({ target }) => !files.has(target)).map(faultIn(notGiven)) : [];
  };

  return {
    async write() {
      const faults: (readonly CodeFault[])[] = [];
      await allOrAbort(scope.signal, (signal) => {
        const written = new Map<string, Promise<void>>();
        return units.map((unit, index) => {
          const before = unit.flatMap(({ dependencies }) =>
            dependencies.map((other) => written.get(other) ?? Promise.resolve()),
          );
          const one = Promise.all(before).then(() =>
            limiter.run(async () => {
              scope.note(`Generating ${namesOf(unit)} (${index + 1} of ${units.length}).`);
              faults[index] = await ask(unit, signal, true);
            }, signal),
          );
          for (const { target } of unit) written.set(target, one);
          return one;
        });
      });
      return faults.flat();
    },

    async repair(faults) {
      const owners = units.filter((unit) => faults.some(isIn(unit)));
      const hasOwners = faults.every((fault) => owners.some((unit) => isIn(unit)(fault)));
      const asked = hasOwners && owners.length <= mostRepairs ? owners : [all];
      const left: (readonly CodeFault[])[] = [];
      await allOrAbort(scope.signal, (signal) =>
        asked.map(async (unit, index) => {
          open(unit).tell(unit === all ? faults : faults.filter(isIn(unit)), read);
          left[index] = await limiter.run(() => ask(unit, signal, false), signal);
        }),
      );
      return left.flat();
    },
  };
}

const notGiven = 'The answer does not have it.';

function faultIn(message: string): (spec: Spec) => CodeFault {
  return ({ target }) => ({ file: `src/${target}`, message });
}

function isIn(unit: Unit): (fault: CodeFault) => boolean {
  return ({ file }) => unit.some(({ target }) => file === `src/${target}`);
}

function namesOf(unit: Unit): string {
  return unit.map(({ target }) => `src/${target}`).join(', ');
}

/** Neighbours in the order of dependencies, so that no unit waits for one behind it. */
function unitsOf(due: readonly Spec[]): readonly Unit[] {
  const size = Math.max(1, Math.ceil(due.length / mostRequests));
  return due.flatMap((_, index) => (index % size === 0 ? [due.slice(index, index + size)] : []));
}
