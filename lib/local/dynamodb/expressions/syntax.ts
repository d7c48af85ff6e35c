/** The syntax trees of a request's expressions, with placeholders resolved (AWS, "Using expressions in DynamoDB"). */
import type { AttributeType, AttributeValue } from '../attribute-value.ts';

/** A document path: an attribute name, then member names of maps and positions in lists. */
export type Path = readonly (string | number)[];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'size'; readonly path: Path };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly condition: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: Path }
  | { readonly kind: 'attribute_type'; readonly path: Path; readonly type: AttributeType }
  | { readonly kind: 'begins_with' | 'contains'; readonly operand: Operand; readonly part: Operand };

/** The right-hand side of SET. */
export type Source =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: Source }
  | { readonly kind: 'list_append' | '+' | '-'; readonly left: Source; readonly right: Source };

export type Action =
  | { readonly kind: 'SET'; readonly path: Path; readonly source: Source }
  | { readonly kind: 'REMOVE'; readonly path: Path }
  | { readonly kind: 'ADD' | 'DELETE'; readonly path: Path; readonly value: AttributeValue };
