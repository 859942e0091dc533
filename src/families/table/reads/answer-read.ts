import type { Output } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import type { RequestDraft } from '../conversation/talk.ts';
import type { TableRequest } from '../request/request.ts';
import { counted } from '../show/counted.ts';
import { exportRecords } from '../transfer/export-records.ts';
import { listPage, turnPage } from './list-page.ts';
import { tellFields } from './tell-fields.ts';
import { tellGroups } from './tell-groups.ts';
import { tellCount, tellMeasure } from './tell-measure.ts';

/** Answers what needs no question: everything that only reads, but for one record out of several. */
export async function answerRead(
  ground: Ground,
  request: Exclude<TableRequest, RequestDraft>,
): Promise<Output> {
  switch (request.operation) {
    case 'list':
      return listPage(ground, request);
    case 'next':
    case 'previous':
      return turnPage(ground, request.operation);
    case 'count':
      return tellCount(ground, request);
    case 'group':
      return tellGroups(ground, request);
    case 'fields':
      return tellFields(ground.table);
    case 'export': {
      const { path, rows, bytes } = await exportRecords(request, ground, ground.scope);
      const text = `Wrote ${counted(rows, 'record')} of ${ground.table.name} to ${path}.`;
      return { status: 'done', text, value: { operation: 'export', path, rows, bytes } };
    }
    default:
      return tellMeasure(ground, request);
  }
}
