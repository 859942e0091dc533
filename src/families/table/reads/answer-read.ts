import type { Output } from '../../../core/output.ts';
import type { Ground } from '../conversation/ground.ts';
import { recordCount } from '../conversation/preview.ts';
import type { TableRequest } from '../request/request.ts';
import { exportRecords } from '../transfer/export-records.ts';
import { countRecords, measureRecords } from './count-and-measure.ts';
import { groupRecords } from './group-records.ts';
import { listPage, turnPage } from './list-page.ts';
import { tellFields } from './tell-fields.ts';

/** What is answered in one go, without a question: everything that only reads, but for one record out of several. */
export type ReadRequest = Exclude<
  TableRequest,
  { readonly operation: 'add' | 'update' | 'delete' | 'import' | 'show' | 'undo' }
>;

/** Answers a request that changes no record. */
export async function answerRead(
  ground: Ground,
  request: Exclude<TableRequest, { operation: 'show' }>,
  help?: string,
): Promise<Output> {
  switch (request.operation) {
    case 'list':
      return listPage(ground, request);
    case 'next':
    case 'previous':
      return turnPage(ground, request.operation);
    case 'count':
      return countRecords(ground, request);
    case 'group':
      return groupRecords(ground, request);
    case 'fields':
      return tellFields(ground.table, help);
    case 'export': {
      const { path, rows, bytes } = await exportRecords(request, ground, ground.scope);
      const text = `Wrote ${recordCount(rows)} of ${ground.table.name} to ${path}.`;
      return { status: 'done', text, value: { operation: 'export', path, rows, bytes } };
    }
    default:
      return measureRecords(ground, request as Extract<TableRequest, { field: string; operation: 'sum' }>);
  }
}
