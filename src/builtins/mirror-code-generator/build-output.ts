import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { GenerationPlan } from '../../generation/plan-generation.ts';
import type { Checks } from './check-code.ts';

/** How a generation came out; without a plan there was nothing to generate, without checks nothing had to be done. */
export function buildOutput(plan?: Pick<GenerationPlan, 'files' | 'orphans'>, checks?: Checks): Output {
  const { files = [], orphans = [] } = plan ?? {};
  const pathsOf = (status: string): readonly string[] =>
    files.filter((file) => file.status === status).map(({ spec }) => `src/${spec.target}`);
  const states = {
    generated: pathsOf('due'),
    current: pathsOf('current'),
    drifted: pathsOf('drifted'),
    removed: orphans.map((target) => `src/${target}`),
  };
  const value: Json = checks === undefined ? states : { ...states, checks: { ...checks } };
  const untyped = checks?.types === 'absent' ? ' Types were not checked.' : '';
  return { status: 'done', text: `${textOf(states)}${untyped}`, value };
}

type States = Readonly<Record<'generated' | 'current' | 'drifted' | 'removed', readonly string[]>>;

/** As `2 files generated, 1 up to date.` */
function textOf({ generated, current, drifted, removed }: States): string {
  const counts: readonly (readonly [number, string])[] = [
    [generated.length, 'generated'],
    [current.length, 'up to date'],
    [drifted.length, 'changed by hand and left as found'],
    [removed.length, 'removed'],
  ];
  const [first, ...others] = counts.filter(([count]) => count > 0);
  if (first === undefined) return 'There is nothing to generate.';
  const [count, words] = first;
  const rest = others.map(([more, said]) => `, ${more} ${said}`).join('');
  return `${count} ${count === 1 ? 'file' : 'files'} ${words}${rest}.`;
}
