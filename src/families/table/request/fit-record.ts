import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import { badMember, fitField, type FitGround } from './fit-member.ts';

/** Values by the names of fields; derived ones, and the key of a record that there is, cannot be given. */
export function fitRecord(ground: FitGround, given: Json, path: string, isNew: boolean): JsonObject {
  if (!isJsonObject(given)) {
    throw badMember(
      path,
      given === null ? 'is missing.' : `must be an object, not ${quote(given)}.`,
      'Write {"field": value}.',
    );
  }
  const record: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const place = `${path}.${name}`;
    const field = fitField(ground, name, place);
    if (Object.hasOwn(record, field.name))
      throw badMember(place, `is "${field.name}", which is given twice.`, 'Give it once.');
    if (field.derivator !== undefined) {
      throw badMember(place, 'is worked out from other fields and cannot be given.', 'Leave it away.');
    }
    if (!isNew && field.key !== undefined)
      throw badMember(place, 'identifies the record and cannot be changed.', 'Leave it away.');
    const read = readValue(field, value, ground.clock);
    if ('value' in read) record[field.name] = read.value;
    else if (field.resolver !== undefined)
      record[field.name] = value; // code that knows how people say it looks at it
    else
      throw badMember(place, `does not fit: ${read.fault}`, `"${field.name}" is of the type ${field.type}.`);
  }
  if (!isNew && Object.keys(record).length === 0) throw badMember(path, 'is empty.', 'Say what changes.');
  return record;
}
