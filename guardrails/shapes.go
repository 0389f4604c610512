package guardrails

// shape says how the walk takes one key of a node.
type shape int

const (
	plain    shape = iota + 1 // a scalar, or arrays and objects of scalars that name nothing
	expr                      // an expression, or null
	exprs                     // a list of expressions
	exprs2                    // a list of lists of expressions
	query                     // {named_param_map, node}, or null
	first                     // taken before the other keys: CTEs, the start of a recursion
	table                     // a table reference, or null
	null                      // must be null: the syntax behind it is refused
	empty                     // must be an empty list or text
	builtin                   // must be empty or "main", the schema of the engine's own functions
	keyed                     // a list of {key, value: expression}
	cases                     // a list of {when_expr, then_expr}
	orders                    // a list of {expression}
	orderBy                   // an ORDER_MODIFIER, or null
	mods                      // modifiers of a query node
	pivots                    // columns of a PIVOT
	renames                   // a list of {key, value} of names
	subtree                   // a query node
	castType                  // a type
	literal                   // {type, is_null, value}
)

// shapes is the allow-list of the walk: every kind of query node, table reference,
// modifier and expression that may stand in a statement, with every key it may
// have. A kind or key that is not here is refused, so that what a new version of
// DuckDB adds is refused until somebody has looked at it.
var shapes = map[string]map[string]shape{
	// query nodes, by type
	"SELECT_NODE": {"cte_map": first, "from_table": table, "select_list": exprs, "where_clause": expr, "group_expressions": exprs,
		"having": expr, "qualify": expr, "modifiers": mods, "group_sets": plain, "aggregate_handling": plain, "sample": null},
	"SET_OPERATION_NODE": {"cte_map": first, "left": subtree, "right": subtree, "modifiers": mods, "setop_type": plain, "setop_all": plain},
	"RECURSIVE_CTE_NODE": {"cte_map": first, "left": first, "right": subtree, "modifiers": mods, "cte_name": plain, "aliases": plain,
		"union_all": plain, "key_targets": exprs},

	// modifiers, by type
	"ORDER_MODIFIER":         {"orders": orders},
	"LIMIT_MODIFIER":         {"limit": expr, "offset": expr},
	"LIMIT_PERCENT_MODIFIER": {"limit": expr, "offset": expr},
	"DISTINCT_MODIFIER":      {"distinct_on_targets": exprs},

	// table references, by type
	"BASE_TABLE": {"sample": null, "schema_name": plain, "table_name": plain, "column_name_alias": plain,
		"catalog_name": empty, "at_clause": null},
	"SUBQUERY": {"sample": null, "subquery": query, "column_name_alias": plain},
	"JOIN": {"sample": null, "left": table, "right": table, "condition": expr, "join_type": plain, "ref_type": plain,
		"using_columns": plain, "delim_flipped": plain, "duplicate_eliminated_columns": empty},
	"EXPRESSION_LIST": {"sample": null, "expected_names": plain, "expected_types": empty, "values": exprs2},
	"EMPTY":           {"sample": null},
	"TABLE_FUNCTION":  {"sample": null, "function": expr, "column_name_alias": plain, "with_ordinality": plain},
	"PIVOT": {"sample": null, "source": table, "aggregates": exprs, "pivots": pivots, "groups": plain, "column_name_alias": plain,
		"include_nulls": plain, "unpivot_names": plain},

	// expressions, by class
	"class BETWEEN":              {"input": expr, "lower": expr, "upper": expr},
	"class CASE":                 {"case_checks": cases, "else_expr": expr},
	"class CAST":                 {"child": expr, "cast_type": castType, "try_cast": plain},
	"class COLLATE":              {"child": expr, "collation": plain},
	"class COLUMN_REF":           {"column_names": plain},
	"class COMPARISON":           {"left": expr, "right": expr},
	"class CONJUNCTION":          {"children": exprs},
	"class CONSTANT":             {"value": literal},
	"class LAMBDA":               {"lhs": expr, "expr": expr},
	"class OPERATOR":             {"children": exprs},
	"class POSITIONAL_REFERENCE": {"index": plain},
	"class SUBQUERY":             {"child": expr, "subquery": query, "subquery_type": plain, "comparison_type": plain},
	"class STAR": {"columns": plain, "expr": expr, "exclude_list": plain, "qualified_exclude_list": plain, "relation_name": plain,
		"replace_list": keyed, "rename_list": renames},
	"class FUNCTION": {"children": exprs, "filter": expr, "order_bys": orderBy, "function_name": plain, "catalog": builtin, "schema": builtin,
		"distinct": plain, "is_operator": plain, "export_state": plain},
	"class WINDOW": {"children": exprs, "partitions": exprs, "orders": orders, "arg_orders": orders, "filter_expr": expr, "start_expr": expr,
		"end_expr": expr, "offset_expr": expr, "default_expr": expr, "function_name": plain, "catalog": builtin, "schema": builtin,
		"distinct": plain, "ignore_nulls": plain, "start": plain, "end": plain, "exclude_clause": plain},
}

// tags stand on every node and name nothing but what the node is.
var tags = map[string]bool{"type": true, "class": true, "alias": true, "query_location": true}
