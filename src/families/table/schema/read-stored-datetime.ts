const form =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?)? ?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?$/;

/** A date with a time, as databases print it, as `YYYY-MM-DDTHH:mm:ss.sssZ`; one without a zone is in UTC, undefined when it is none. */
export function readStoredDatetime(text: string): string | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, day, clock = '00:00', seconds = ':00', fraction = '', hours, minutes = '00'] = found;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const time = new Date(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
