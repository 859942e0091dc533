import { addUsage, noUsage, shownSkillName, type RunEvent, type Usage } from '../core/index.ts';

/** A group of usage. */
export interface UsageGroup {
  /** The day in UTC, such as `2026-11-19`. A run counts on the day on which it started. */
  readonly day: string;
  /** The skill that used the model, or that a run was started for. Empty for the choice of a skill. */
  readonly skill: string;
  /** The model that answered. Empty for everything that is not a model step. */
  readonly model: string;
  /** The pseudonymous value that identifies the user. Empty without a user. */
  readonly user: string;
  /** The key with which a server was asked. Empty for all other runs. */
  readonly client: string;
}

/** The usage of one group. */
export interface GroupUsage extends Usage {
  readonly runs: number;
  /** The runs that failed. A run that fails counts on the day on which it ended. */
  readonly failed: number;
  readonly cancelled: number;
  /** The model steps that have ended. */
  readonly modelSteps: number;
}

/** The usage of one group, with the group. */
export type UsageEntry = UsageGroup & GroupUsage;

/** Sums up the usage of many runs, event by event. */
export interface UsageFold {
  /** Adds an event. An event that was added before is ignored, so that a log can be read again. */
  add(event: RunEvent): void;
  /** The position of the last event of a run that was added, or 0. Continue to read after it. */
  watermark(runId: string): number;
  /** Releases the memory of a run that gets no more events. Its usage stays. */
  release(runId: string): void;
  /** Removes the usage of all days before a day. */
  dropBefore(day: string): void;
  entries(): readonly UsageEntry[];
}

/** The state of a run that has not ended. */
interface OpenRun {
  seq: number;
  /** The group in which the run itself counts. Undefined before the run has started. */
  group: UsageGroup | undefined;
  isCounted: boolean;
  reuses: boolean;
  /** The skill of each frame, by the frame's id. */
  readonly skills: Map<string, string>;
  /** The requested models of open model steps, by frame and key. */
  readonly models: Map<string, string>;
  /** The usage in frames that start later in the log. */
  readonly early: Map<string, Charge[]>;
}

interface Charge {
  readonly day: string;
  readonly model: string;
  readonly usage: Usage;
}

/** Creates an empty fold. Its totals are exactly those of the trees of the same runs. */
export function createUsageFold(): UsageFold {
  const runs = new Map<string, OpenRun>();
  const sums = new Map<string, UsageEntry>();

  const count = (group: UsageGroup, more: Partial<GroupUsage>): void => {
    const { day, skill, model, user, client } = group;
    const key = JSON.stringify([day, skill, model, user, client]);
    sums.set(key, sum(sums.get(key) ?? { ...groupOf(group), ...nothing }, more));
  };
  const charge = (run: OpenRun, frameId: string, { day, model, usage }: Charge): void => {
    const skill = run.skills.get(frameId) ?? '';
    const { user = '', client = '' } = run.group ?? {};
    count({ day, skill, model, user, client }, { ...usage, modelSteps: 1 });
  };
  const countRun = (run: OpenRun, skill: string): void => {
    if (run.isCounted || run.group === undefined) return;
    run.isCounted = true;
    run.group = { ...run.group, skill };
    count(run.group, { runs: 1 });
  };

  const addNew = (run: OpenRun, event: RunEvent): void => {
    const { frameId } = event;
    switch (event.type) {
      case 'run.started': {
        const { user = '', client = '', skill, rerunOf } = event;
        run.reuses = rerunOf !== undefined; // `run.resumed` clears this flag.
        run.group ??= { day: dayOf(event.at), skill: '', model: '', user, client };
        if (skill !== '') countRun(run, shownSkillName(skill));
        return;
      }
      case 'run.resumed':
        run.reuses = false;
        return;
      case 'skill.selected':
        return countRun(run, shownSkillName(event.skill));
      case 'frame.started':
        if (run.skills.has(frameId)) return;
        run.skills.set(frameId, shownSkillName(event.skill));
        for (const early of run.early.get(frameId) ?? []) charge(run, frameId, early);
        run.early.delete(frameId);
        return;
      case 'model.started':
        run.models.set(`${frameId} ${event.key}`, event.model);
        return;
      case 'model.ended': {
        const step = `${frameId} ${event.key}`;
        const { usage, model = run.models.get(step) ?? '' } = event.reply;
        run.models.delete(step);
        if (run.reuses) return;
        const charged = { day: dayOf(event.at), model, usage };
        if (run.skills.has(frameId)) charge(run, frameId, charged);
        else run.early.set(frameId, [...(run.early.get(frameId) ?? []), charged]);
        return;
      }
      case 'run.ended': {
        countRun(run, '');
        if (run.group === undefined || event.status === 'done') return;
        count({ ...run.group, day: dayOf(event.at) }, { [event.status]: 1 });
        return;
      }
      default:
    }
  };

  return {
    add(event) {
      if (event.seq === 0) return; // The event is sent only to listeners.
      const run = runs.get(event.runId) ?? emptyRun();
      runs.set(event.runId, run);
      if (event.seq <= run.seq) return;
      run.seq = event.seq;
      addNew(run, event);
    },
    watermark: (runId) => runs.get(runId)?.seq ?? 0,
    release: (runId) => void runs.delete(runId),
    dropBefore(day) {
      for (const [key, entry] of sums) if (entry.day < day) sums.delete(key);
    },
    entries: () => [...sums.values()],
  };
}

/** Sums up usage by some of the fields of its groups, in the order of first use. Pure. */
export function sumUsageBy<Field extends keyof UsageGroup>(
  entries: Iterable<UsageEntry>,
  fields: readonly Field[],
): readonly (GroupUsage & Pick<UsageGroup, Field>)[] {
  const sums = new Map<string, UsageEntry>();
  for (const entry of entries) {
    const key = JSON.stringify(fields.map((field) => entry[field]));
    sums.set(key, sum(sums.get(key) ?? { ...groupOf(entry), ...nothing }, entry));
  }
  return [...sums.values()].map((entry) => {
    const { day: _day, skill: _skill, model: _model, user: _user, client: _client, ...usage } = entry;
    return Object.assign(
      usage,
      Object.fromEntries(fields.map((field) => [field, entry[field]])),
    ) as GroupUsage & Pick<UsageGroup, Field>;
  });
}

const nothing: GroupUsage = {
  ...noUsage,
  runs: 0,
  failed: 0,
  cancelled: 0,
  modelSteps: 0,
};

function groupOf({ day, skill, model, user, client }: UsageGroup): UsageGroup {
  return { day, skill, model, user, client };
}

function sum(entry: UsageEntry, more: Partial<GroupUsage>): UsageEntry {
  const added = (name: 'runs' | 'failed' | 'cancelled' | 'modelSteps'): number =>
    entry[name] + (more[name] ?? 0);
  return {
    ...groupOf(entry),
    ...addUsage(entry, { ...noUsage, ...more }),
    runs: added('runs'),
    failed: added('failed'),
    cancelled: added('cancelled'),
    modelSteps: added('modelSteps'),
  };
}

function emptyRun(): OpenRun {
  return {
    seq: 0,
    group: undefined,
    isCounted: false,
    reuses: false,
    skills: new Map([['', '']]), // The run itself.
    models: new Map(),
    early: new Map(),
  };
}

/** Returns the day of a time in UTC, such as `2026-11-19`. Pure. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
