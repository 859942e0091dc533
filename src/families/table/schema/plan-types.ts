import { counted } from '../show/counted.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { isUnchanged, readConversion } from './statements/read-conversion.ts';
import type { SchemaGround } from './schema-ground.ts';
import { groupOf, newStorage, type TypeGroup } from './storage.ts';
import { typeStatements, type TypeChange } from './statements/type-statements.ts';

/** Fields whose values are kept in another form than their type has. */
export async function planTypes(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  if (ground.existing === undefined) return [];
  const plans: ProposalPlan[] = [];
  for (const column of ground.columns) plans.push(...(await planType(ground, column)));
  return plans;
}

async function planType(ground: SchemaGround, column: AssignedColumn): Promise<readonly ProposalPlan[]> {
  const { place, table, existing, kept } = ground;
  const { field, isFit, recorded } = column;
  if (existing === undefined || (isFit && !isDoubtful(ground, column))) return [];
  const storage = isFit ? column.storage : newStorage(place.kind, field.type);
  const conversion = await readConversion(ground, column, storage);
  if (isFit && isUnchanged(conversion)) return [];
  const change: TypeChange = { column, storage, conversion };
  const isForeign = place.kind === 'sqlite' && !isFit && kept?.record.isOwn !== true;
  const statements = isForeign ? [] : await typeStatements(ground, change);
  const { rows, unfit, unfitRows } = conversion;
  const was = recorded?.type ?? column.existing?.type.toLowerCase() ?? 'text';
  const obstacle =
    existing.isView || isForeign ? foreignObstacle(existing.isView) : unfitObstacle(unfitRows, unfit);
  return [
    buildProposalPlan(table, {
      kind: 'type',
      about: [field.name, field.type],
      isBlocking: true,
      text: `The field "${field.name}" is kept as ${was} and should be ${field.type}: ${counted(rows, 'value')} would be converted.`,
      statements,
      obstacle,
      record: (before) => ({
        ...before,
        fields: [
          ...before.fields.filter((entry) => entry.column !== column.name),
          { field: field.name, column: column.name, type: field.type, ...storage },
        ],
      }),
    }),
  ];
}

const plainGroups: ReadonlySet<TypeGroup> = new Set(['text', 'whole', 'decimal']);

/** Whether the column may hold values of another type, although it can keep those of this one. */
function isDoubtful({ place }: SchemaGround, { field, existing, recorded }: AssignedColumn): boolean {
  if (existing === undefined) return false;
  const group = groupOf(field.type);
  if (recorded !== undefined) return groupOf(recorded.type) !== group;
  return place.kind === 'sqlite' && !plainGroups.has(group);
}

function foreignObstacle(isView: boolean): string {
  return isView
    ? 'It is a view: change the view, or the type in the file.'
    : 'The table was not made by a skill: change the column with a program of your own, or the type in the file.';
}

function unfitObstacle(rows: number, unfit: readonly string[]): string | undefined {
  if (rows === 0) return undefined;
  const shown = unfit.map((value) => `"${value}"`).join(', ');
  return `${counted(rows, 'value')} cannot be converted, as ${shown}: correct them first.`;
}
