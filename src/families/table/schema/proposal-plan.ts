import { hash } from 'node:crypto';
import { optional, type SqlStatement } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import type { Proposal } from './physical.ts';
import type { TableRecord } from './table-record.ts';

/** A proposal and the effect of approving it. */
export interface ProposalPlan {
  readonly proposal: Proposal;
  /** Whether the table is unusable until the change is made. */
  readonly isBlocking: boolean;
  /** The statements that make the change, in order. */
  readonly statements: readonly SqlStatement[];
  /** Returns the table's entry in `skilled_tables` after the change. */
  record(before: TableRecord): TableRecord;
}

interface Parts extends Pick<Proposal, 'kind' | 'text'> {
  /**
   * Values that distinguish the change from other changes of its kind. They must not depend on the table's
   * records.
   */
  readonly about: readonly unknown[];
  readonly isBlocking: boolean;
  readonly statements?: readonly SqlStatement[];
  readonly losesData?: boolean;
  readonly obstacle?: string | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly record?: ProposalPlan['record'];
}

/**
 * Builds a plan for a change. By default, the plan has no statements and leaves the table's entry in
 * `skilled_tables` unchanged.
 */
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
