import { allOrAbort, createLimiter, type Scope } from '../../core/index.ts';
import type { Spec } from '../../generation/read-specs.ts';
import type { Staging } from '../../generation/staging.ts';
import type { CodeFault } from './check-programs.ts';
import { GeneratorConversation } from './conversation.ts';
import { buildTaskText, type Task } from './prompts.ts';

// 12 requests and two rounds of 4 repairs stay within the default limit on model steps per frame.
const maxRequests = 12;
const maxRepairs = 4;
const maxConcurrent = 4;

/** A writer that asks a model to write files. */
interface Writer {
  /** Writes the files in dependency order and returns the errors found in them. */
  write(): Promise<readonly CodeFault[]>;
  /**
   * Rewrites files with errors. Sends one request per file if every error names its file and there are few
   * such files, otherwise a single request for all files.
   */
  repair(faults: readonly CodeFault[]): Promise<readonly CodeFault[]>;
}

/** The specs of the files in one request: usually one file, but several if the skill has many files. */
type Unit = readonly Spec[];

/**
 * Creates a writer for the files of the specs in `due`, in a copy of the skill. `due` must be in dependency
 * order.
 */
export function createWriter(scope: Scope, staging: Staging, task: Task, due: readonly Spec[]): Writer {
  const model = scope.model('code');
  const limiter = createLimiter(maxConcurrent);
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
      const asked = hasOwners && owners.length <= maxRepairs ? owners : [all];
      const left: (readonly CodeFault[])[] = [];
      await allOrAbort(scope.signal, (signal) =>
        asked.map(async (unit, index) => {
          open(unit).report(unit === all ? faults : faults.filter(isIn(unit)), read);
          left[index] = await limiter.run(() => ask(unit, signal, false), signal);
        }),
      );
      return left.flat();
    },
  };
}

const notGiven = 'The answer does not contain this file.';

function faultIn(message: string): (spec: Spec) => CodeFault {
  return ({ target }) => ({ file: `src/${target}`, message });
}

function isIn(unit: Unit): (fault: CodeFault) => boolean {
  return ({ file }) => unit.some(({ target }) => file === `src/${target}`);
}

function namesOf(unit: Unit): string {
  return unit.map(({ target }) => `src/${target}`).join(', ');
}

/**
 * Splits specs into units, one for each request. The specs are in dependency order, so no unit depends on a
 * later one.
 */
function unitsOf(due: readonly Spec[]): readonly Unit[] {
  const size = Math.max(1, Math.ceil(due.length / maxRequests));
  return due.flatMap((_, index) => (index % size === 0 ? [due.slice(index, index + size)] : []));
}
