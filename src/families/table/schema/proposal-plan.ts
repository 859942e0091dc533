import { hash } from 'node:crypto';
import { optional, type SqlStatement } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import type { Proposal } from './physical.ts';
import type { TableRecord } from './table-record.ts';

/** A proposal with what it comes to once it is approved. */
export interface ProposalPlan {
  readonly proposal: Proposal;
  /** Nothing can be done with the table before. */
  readonly isBlocking: boolean;
  /** What makes the change, in order. */
  readonly statements: readonly SqlStatement[];
  /** What is kept about the table from then on. */
  record(before: TableRecord): TableRecord;
}

interface Parts extends Pick<Proposal, 'kind' | 'text'> {
  /** Tells the change from others of its kind, whatever the table holds. */
  readonly about: readonly unknown[];
  readonly isBlocking: boolean;
  readonly statements?: readonly SqlStatement[];
  readonly losesData?: boolean;
  readonly obstacle?: string | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly record?: ProposalPlan['record'];
}

/** A plan for a change of a table; unless said, nothing runs and what is kept stays as it is. */
export function buildProposalPlan({ name }: Table, parts: Parts): ProposalPlan {
  const { kind, text, about, isBlocking, statements = [], record = (before) => before } = parts;
  return {
    proposal: {
      id: `${kind}-${hash('sha256', JSON.stringify([name, ...about])).slice(0, 12)}`,
      kind,
      text,
      sql: statements.map((statement) => statement.sql),
      losesData: parts.losesData === true,
      ...optional('obstacle', parts.obstacle),
      ...optional('approvers', parts.approvers),
    },
    isBlocking,
    statements,
    record,
  };
}
