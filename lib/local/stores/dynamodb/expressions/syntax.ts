/** The syntax trees of a request's expressions, with placeholders resolved (AWS, "Using expressions in DynamoDB"). */
import type { AttributeValue } from '../attribute-value.ts';

/** A document path: an attribute name, then member names of maps. */
export type Path = readonly string[];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: Path }
  | { readonly kind: 'begins_with'; readonly operand: Operand; readonly part: Operand };

/** The right-hand side of SET. */
export type Source = Operand | { readonly kind: '+'; readonly left: Operand; readonly right: Operand };

export type Action =
  | { readonly kind: 'SET'; readonly path: Path; readonly source: Source }
  | { readonly kind: 'REMOVE'; readonly path: Path }
  | { readonly kind: 'ADD'; readonly path: Path; readonly value: AttributeValue };
