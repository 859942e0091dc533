// The two rules of tskill.md that compare an item with its previous version. Conditions cannot do that.

interface Change {
  /** The item before the change, or null for a new item. */
  readonly value: Item | null;
  /** The item after the change. */
  readonly record: Item;
}

interface Item {
  readonly status: string;
  readonly lent_to: string | null;
  readonly price: number;
  readonly kind: string;
}

/** The way of an item: it comes back before it is lent again, and a retired item stays retired. */
export function rule_1(changes: readonly Change[]): (string | null)[] {
  return changes.map(({ value, record }) => {
    if (value === null) return null;
    if (value.status === 'retired' && record.status !== 'retired') return 'The item is retired.';
    const isNewLoan =
      record.status === 'lent' && (value.status !== 'lent' || value.lent_to !== record.lent_to);
    return isNewLoan && value.status !== 'available' ? `The item is ${value.status}.` : null;
  });
}

/** The price and the kind of an item are fixed. */
export function rule_2(changes: readonly Change[]): (string | null)[] {
  return changes.map(({ value, record }) => {
    if (value === null || (value.price === record.price && value.kind === record.kind)) return null;
    return 'The price and the kind of an item cannot change.';
  });
}
