-- a creation
insert into "Customer" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "customer_name", "email", "disabled") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict ("name") do nothing;

-- a creation with rows and a series
select "name", "docstatus" from "Customer" where "name" in ($1) for key share;
insert into "_series" ("key", "current") values ($1, $2)
        on conflict ("key") do update set "current" = "_series"."current" + excluded."current"
        returning "current", set_config('idle_in_transaction_session_timeout', $3, true) as "idle";
insert into "Invoice" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "naming_series", "customer", "status", "due", "paid_at", "total", "code", "note", "margin", "amended_from") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      on conflict ("name") do nothing;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- a list
select (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_object('name', "_t"."name")::text as "json" from "Invoice" as "_t" order by "_t"."modified" desc nulls last, "_t"."name" desc limit $2 offset $3) as "rows") as "json";

-- a list of all fields
select "_t"."name" as "name", "_t"."owner" as "owner", to_char("_t"."creation", 'YYYY-MM-DD HH24:MI:SS') as "creation", to_char("_t"."modified", 'YYYY-MM-DD HH24:MI:SS') as "modified", "_t"."modified_by" as "modified_by", "_t"."docstatus" as "docstatus", "_t"."idx" as "idx", "_t"."naming_series" as "naming_series", "_t"."customer" as "customer", "_t"."status" as "status", "_t"."due" as "due", to_char("_t"."paid_at", 'YYYY-MM-DD HH24:MI:SS') as "paid_at", "_t"."total" as "total", "_t"."code" as "code", "_t"."note" as "note", "_t"."amended_from" as "amended_from" from (select "_t".* from "Invoice" as "_t" order by "_t"."due" asc nulls first, "_t"."total" desc, "_t"."name" desc limit $1 offset $2) as "_t" order by "_t"."due" asc nulls first, "_t"."total" desc, "_t"."name" desc;

-- a list without a limit
select "_t"."name" as "name" from "Customer" as "_t" order by "_t"."modified" desc nulls last, "_t"."name" desc limit $1 offset $2;
select json_build_object('name', "_t"."name")::text as "json", "_t"."name" as "_k0" from "Customer" as "_t" where ("name" in ($1)) order by "_t"."name" asc limit $2 offset $3;

-- filters
select "_t"."name" as "name" from "Invoice" as "_t" where "_t"."status" = $1 and "_t"."total" > $2 and "_t"."due" between $3 and $4 order by "_t"."modified" desc nulls last, "_t"."name" desc limit $5 offset $6;

-- texts
select "_t"."name" as "name" from "Invoice" as "_t" where case when octet_length("_t"."note") > 16384 and pg_sleep(0) is not null then (case when octet_length("_t"."note") = char_length("_t"."note") then lower(("_t"."note") collate "C") else translate(lower(upper(lower(("_t"."note") collate "und-x-icu"))), 'ς', 'σ') collate "C" end) ~ $1 when octet_length("_t"."note") = char_length("_t"."note") then ("_t"."note") collate "C" ilike $2 escape '\' else translate(lower(upper(lower(("_t"."note") collate "und-x-icu"))), 'ς', 'σ') like $3 escape '\' end and ("_t"."code" is null or "_t"."code" not in ($4, $5)) and "_t"."paid_at" is not null order by "_t"."modified" desc nulls last, "_t"."name" desc limit $6 offset $7;

-- either filter
select "_t"."name" as "name" from "Invoice" as "_t" where "_t"."docstatus" = $1 and ("_t"."status" = $2 or "_t"."total" < $3) order by "_t"."modified" desc nulls last, "_t"."name" desc limit $4 offset $5;

-- a filter on child rows
select "_t"."name" as "name" from "Invoice" as "_t" where exists (select 1 from "Invoice Item" as "_c" where "_c"."parent" = "_t"."name"
    and "_c"."parenttype" = $1 and "_c"."parentfield" in ($2) and "_c"."qty" > $3) order by "_t"."modified" desc nulls last, "_t"."name" desc limit $4 offset $5;

-- fields of a linked document
select (select "_l"."email" from "Customer" as "_l"
    where "_l"."name" = "_t"."customer") as "_0" from "Invoice" as "_t" where (select "_l"."disabled" from "Customer" as "_l"
    where "_l"."name" = "_t"."customer") = $1 order by "_t"."modified" desc nulls last, "_t"."name" desc limit $2 offset $3;

-- child rows
select "_t"."name" as "_0", "_j"."item" as "_1" from "Invoice" as "_t" left join "Invoice Item" as "_j" on "_j"."parent" = "_t"."name"
    and "_j"."parenttype" = $1 and "_j"."parentfield" in ($2) order by "_t"."modified" desc nulls last, "_t"."name" desc, "_j"."idx", "_j"."name" limit $3 offset $4;

-- an expanded link
select "_t"."name" as "name", "_t"."customer" as "customer" from "Invoice" as "_t" order by "_t"."modified" desc nulls last, "_t"."name" desc limit $1 offset $2;
select "name" as "_key", "name" as "name", "owner" as "owner", to_char("creation", 'YYYY-MM-DD HH24:MI:SS') as "creation", to_char("modified", 'YYYY-MM-DD HH24:MI:SS') as "modified", "modified_by" as "modified_by", "docstatus" as "docstatus", "idx" as "idx", "customer_name" as "customer_name", "email" as "email", "disabled" as "disabled" from "Customer" as "_t"
    where "name" in ($1);

-- groups
select "_t"."status" as "_0", case when abs(sum(("_t"."total")::text::numeric)) < 1e-290 then 0::float8 when abs(sum(("_t"."total")::text::numeric)) <= 1.7e308 then sum(("_t"."total")::text::numeric)::float8::numeric::float8 end as "_1", count("_t"."name") as "_2" from "Invoice" as "_t" group by 1 order by 2 desc nulls last, 1 desc nulls last limit $1 offset $2;

-- a page and its count
select count(*) as "count" from (select 1 from "Invoice" as "_t" limit $1) as "rows";
select json_build_object('name', "_t"."name")::text as "json", "_t"."due" as "_k0", "_t"."name" as "_k1" from "Invoice" as "_t" order by "_t"."due" desc nulls last, "_t"."name" desc limit $1 offset $2;

-- a count
select count(*) as "count" from "Invoice" as "_t" where "_t"."status" = $1;

-- a document
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_build_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by")::text end as "_side", (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_array("Invoice Item"."name", "Invoice Item"."owner", to_char("Invoice Item"."creation", 'YYYY-MM-DD HH24:MI:SS.US'), to_char("Invoice Item"."modified", 'YYYY-MM-DD HH24:MI:SS.US'), "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark")::text as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = $2
        and "Invoice Item"."parentfield" = $3 order by "Invoice Item"."idx") as "rows") as "items" from "Invoice" where "Invoice"."name" = $4;

-- a single document
select "Preferences"."name", "Preferences"."owner", "Preferences"."creation", "Preferences"."modified", "Preferences"."modified_by", "Preferences"."docstatus", "Preferences"."idx", "Preferences"."color", "Preferences"."_revision" from "Preferences" where "Preferences"."name" = $1;

-- a change
select 1 as "one" from "Invoice" where "name" = $1 for no key update;
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_build_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by")::text end as "_side", (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_array("Invoice Item"."name", "Invoice Item"."owner", to_char("Invoice Item"."creation", 'YYYY-MM-DD HH24:MI:SS.US'), to_char("Invoice Item"."modified", 'YYYY-MM-DD HH24:MI:SS.US'), "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark")::text as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = $2
        and "Invoice Item"."parentfield" = $3 order by "Invoice Item"."idx") as "rows") as "items" from "Invoice" where "Invoice"."name" = $4;
update "Invoice" set "modified" = $1, "note" = $2, "_revision" = "_revision" + 1 where "name" = $3;
delete from "Invoice Item"
      where "parent" = $1 and "parenttype" = $2 and "parentfield" = $3;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- a password
insert into "Memo" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "about_type", "about", "token", "author") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict ("name") do nothing;
select "value" from "_setting" where "key" = $1 for share;
insert into "_secret" ("doctype", "name", "fieldname", "value")
        values ($1, $2, $3, $4)
        on conflict ("doctype", "name", "fieldname") do update set "value" = excluded."value";

-- a single saved
select pg_advisory_xact_lock(hashtext($1::text || ' ' || $2::text))::text as "locked";
select "Preferences"."name", "Preferences"."owner", "Preferences"."creation", "Preferences"."modified", "Preferences"."modified_by", "Preferences"."docstatus", "Preferences"."idx", "Preferences"."color", "Preferences"."_revision" from "Preferences" where "Preferences"."name" = $1 for no key update;
insert into "Preferences" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "color") values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict ("name") do nothing;

-- a submission
select 1 as "one" from "Invoice" where "name" = $1 for no key update;
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_build_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by")::text end as "_side", (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_array("Invoice Item"."name", "Invoice Item"."owner", to_char("Invoice Item"."creation", 'YYYY-MM-DD HH24:MI:SS.US'), to_char("Invoice Item"."modified", 'YYYY-MM-DD HH24:MI:SS.US'), "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark")::text as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = $2
        and "Invoice Item"."parentfield" = $3 order by "Invoice Item"."idx") as "rows") as "items" from "Invoice" where "Invoice"."name" = $4;
select "name", "docstatus" from "Customer" where "name" in ($1) for key share;
update "Invoice" set "modified" = $1, "docstatus" = $2, "_revision" = "_revision" + 1 where "name" = $3;
delete from "Invoice Item"
      where "parent" = $1 and "parenttype" = $2 and "parentfield" = $3;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- a cancellation
select 1 as "one" from "Invoice" where "name" = $1 for no key update;
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_build_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by")::text end as "_side", (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_array("Invoice Item"."name", "Invoice Item"."owner", to_char("Invoice Item"."creation", 'YYYY-MM-DD HH24:MI:SS.US'), to_char("Invoice Item"."modified", 'YYYY-MM-DD HH24:MI:SS.US'), "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark")::text as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = $2
        and "Invoice Item"."parentfield" = $3 order by "Invoice Item"."idx") as "rows") as "items" from "Invoice" where "Invoice"."name" = $4;
update "Invoice" set "modified" = $1, "docstatus" = $2, "_revision" = "_revision" + 1 where "name" = $3;
delete from "Invoice Item"
      where "parent" = $1 and "parenttype" = $2 and "parentfield" = $3;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);
select 1 as "one" from "Payment" where "invoice" = $1 and "docstatus" = $2 limit 1;
select 1 as "one" from "Memo" where "about" = $1 and "about_type" = $2 and "docstatus" = $3 limit 1;

-- a new name
select "Customer"."name", "Customer"."owner", "Customer"."creation", "Customer"."modified", "Customer"."modified_by", "Customer"."docstatus", "Customer"."idx", "Customer"."customer_name", "Customer"."email", "Customer"."disabled", "Customer"."_revision", case when coalesce("Customer"."_user_tags", "Customer"."_assign", "Customer"."_liked_by") is not null then json_build_object('_user_tags', "Customer"."_user_tags", '_assign', "Customer"."_assign", '_liked_by', "Customer"."_liked_by")::text end as "_side" from "Customer" where "Customer"."name" = $1 for update;
select 1 as "one" from "Customer" where "name" = $1;
update "Customer" set "name" = $1, "modified" = $2,
    "modified_by" = $3, "_revision" = "_revision" + 1, "customer_name" = $4 where "name" = $5;
update "Invoice" set "_revision" = "_revision" + 1 where "name" in
          (select "parent" from "Invoice Item"
            where "parenttype" = $1 and "parentfield" in ($2) and "ship_to" = $3);
update "Invoice Item" set "ship_to" = $1 where "ship_to" = $2;
update "Invoice" set "customer" = $1, "_revision" = "_revision" + 1 where "customer" = $2;
update "Memo" set "about" = $1, "_revision" = "_revision" + 1 where "about" = $2 and "about_type" = $3;
select "fieldname" from "_secret" where "doctype" = $1 and "name" = $2;
delete from "_secret" where "doctype" = $1 and "name" = $2;
select "Customer"."name", "Customer"."owner", "Customer"."creation", "Customer"."modified", "Customer"."modified_by", "Customer"."docstatus", "Customer"."idx", "Customer"."customer_name", "Customer"."email", "Customer"."disabled", "Customer"."_revision", case when coalesce("Customer"."_user_tags", "Customer"."_assign", "Customer"."_liked_by") is not null then json_build_object('_user_tags', "Customer"."_user_tags", '_assign', "Customer"."_assign", '_liked_by', "Customer"."_liked_by")::text end as "_side" from "Customer" where "Customer"."name" = $1;

-- a deletion
select 1 as "one" from "Invoice" where "name" = $1 for update;
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_build_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by")::text end as "_side", (select case when octet_length(coalesce(string_agg("json", ','), '')) <= $1 then '[' || coalesce(string_agg("json", ','), '') || ']' end from (select json_build_array("Invoice Item"."name", "Invoice Item"."owner", to_char("Invoice Item"."creation", 'YYYY-MM-DD HH24:MI:SS.US'), to_char("Invoice Item"."modified", 'YYYY-MM-DD HH24:MI:SS.US'), "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark")::text as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = $2
        and "Invoice Item"."parentfield" = $3 order by "Invoice Item"."idx") as "rows") as "items" from "Invoice" where "Invoice"."name" = $4;
select 1 as "one" from "Invoice" where "amended_from" = $1 and not ("name" in ($2)) limit 1;
select 1 as "one" from "Payment" where "invoice" = $1 limit 1;
select 1 as "one" from "Memo" where "about" = $1 and "about_type" = $2 and "docstatus" <> $3 limit 1;
update "_series" set "current" = "current" - 1 where "key" = $1 and "current" = $2;
delete from "Invoice Item"
      where "parent" = $1 and "parenttype" = $2 and "parentfield" = $3;
delete from "Invoice" where "name" = $1;

-- queue: postgres
with j as materialized (select * from json_to_recordset($1) as j(
      "name" text collate "C", "webhook" text collate "C", "event" text, "reference_doctype" text,
      "reference_document" text, "user" text, "order_key" text collate "C", "failure" text, "creation" timestamp(6),
      "state" bigint, "delay" bigint, "seq" bigint, "manual_of" text, "origin" text, "chain_depth" bigint, "is_test" bigint,
      "method" text, "url" text, "headers" text, "body" text, "text" text)),
    t as (insert into "_webhook_text" ("id", "uses", "text")
      select * from json_to_recordset($2) as t("id" text, "uses" bigint, "text" text)),
    d as (insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document", "user", "order_key", "state",
  "due_at", "error", "creation", "modified", "done_at", "seq", "manual_of", "origin", "chain_depth", "is_test")
      select j."name", j."webhook", j."event", j."reference_doctype", j."reference_document", j."user", j."order_key",
        case when j."state" is not null then j."state"
          when exists (select 1 from "_webhook_delivery" p where p."webhook" = j."webhook"
            and p."order_key" = j."order_key" and p."state" not between 2 and 4 offset 0) then 6 else 0 end,
        cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + j."delay", j."failure", j."creation", j."creation", case when j."state" is not null then cast(extract(epoch from clock_timestamp()) * 1000 as bigint) end,
        j."seq", j."manual_of", j."origin", j."chain_depth", j."is_test" from j
      returning "id", "name", "webhook", "order_key", "state"),
    b as (insert into "_webhook_body" ("delivery", "method", "url", "headers", "body", "text")
      select d."id", j."method", j."url", j."headers", j."body", j."text" from d join j on j."name" = d."name")
    select d."webhook", d."order_key" from d where d."state" = 6;

-- queue: pulse
with b as (insert into "_webhook_node" as n ("node", "seen_at", "fast") values ($1, (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)), $8)
      on conflict ("node") do update set "seen_at" = excluded."seen_at",
        "fast" = case when n."fast" = excluded."fast" then n."fast" else excluded."fast" end
      where n."seen_at" <= excluded."seen_at" + cast($3 as bigint)),
    r as (update "_webhook_delivery" set "state" = 0, "owner" = null, "lease_until" = null,
      "suspect" = case when "suspect" = 0 and (select count(*) from "_webhook_node" n where n."node" <> $1
        and n."seen_at" <= (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($4 as bigint) and n."seen_at" > (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($5 as bigint)) >= cast($6 as bigint)
        then -1 else "suspect" end,
      "due_at" = case when "suspect" <= 0 then "due_at"
        else greatest("due_at", (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) + coalesce(cast(cast($7 as json) ->> cast("suspect" as int) as bigint), 0)) end
    where "state" = 1 and ("lease_until" < (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) or "owner" <> $1 and not exists (select 1
      from "_webhook_node" n where n."node" = "_webhook_delivery"."owner" and n."seen_at" > (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($4 as bigint)))
      and (select pg_try_advisory_xact_lock(hashtext(current_schema() || ' chancery reclaim'))))
    select (select json_agg(json_build_object('node', n."node", 'ahead', n."seen_at" - (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)),
        'fast', cast(n."fast" as json)))
        from "_webhook_node" n where n."seen_at" > (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($2 as bigint)) as "nodes",
      case when exists (select 1 from "_webhook_delivery" where "state" = 0) then 1 else 0 end
        as "waiting",
      case when exists (select 1 from "_webhook_delivery" where "state" = 1 and "owner" = $1)
        then 1 else 0 end as "leases",
      (select max("modified_at") from "_webhook_endpoint") as "health_at";

-- queue: bringForward
with b as (select max("seen_at") - (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) as "back" from "_webhook_node"),
    f as (update "_webhook_node" n set "seen_at" = n."seen_at" - b."back" from b
      where n."seen_at" > (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) + cast($1 as bigint) returning b."back")
    update "_webhook_delivery" d set "due_at" = greatest((select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)), d."due_at" - m."back")
    from (select max("back") as "back" from f) m where m."back" > 0
      and d."state" in (0, 6) and d."due_at" > (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint));

-- queue: retire
update "_webhook_node" set "seen_at" = least("seen_at", (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($2 as bigint)) where "node" = $1;

-- queue: leave
delete from "_webhook_node" where "node" = $1;

-- queue: waiting
with recursive "w" ("webhook") as (
      (select d."webhook" from "_webhook_delivery" d where d."state" = 0
        order by d."webhook", d."due_at", d."id" limit 1)
      union all
      select (select d."webhook" from "_webhook_delivery" d where d."state" = 0
        and d."webhook" > "w"."webhook"
        order by d."webhook", d."due_at", d."id" limit 1)
      from "w" where "w"."webhook" is not null)
    select "w"."webhook", (select min(d."due_at") from "_webhook_delivery" d
      where d."state" = 0 and d."webhook" = "w"."webhook") - (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) as "due_in"
    from "w" where "w"."webhook" is not null;

-- queue: take
with q as (select * from json_to_recordset($1) as q("webhook" text collate "C", "limit" bigint, "of" bigint, "place" bigint)),
  c as materialized (select x."id" from q cross join lateral (
    select d."id" from "_webhook_delivery" d
    where d."webhook" = q."webhook" and d."state" = 0 and d."due_at" <= (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint))
    and (q."of" = 1 or get_byte(sha256(convert_to(d."order_key", 'UTF8')), 0) % q."of" = q."place") and not exists (select 1 from "_webhook_delivery" p where p."webhook" = d."webhook"
  and p."order_key" = d."order_key" and p."id" < d."id" and p."state" not between 2 and 4 offset 0)
    and exists (select 1 from "Webhook" w where w."name" = q."webhook" and w."enabled" = 1)
    order by d."due_at", d."id" limit q."limit" for update of d skip locked) x),
  d as (update "_webhook_delivery" set "state" = 1, "owner" = $2,
    "epoch" = "epoch" + 1
    where "id" = any(array(select "id" from c))
    returning *)
  select d."due_at", d."id", d."name", d."manual_of", d."webhook", d."event", d."reference_doctype",
  d."order_key", d."seq", d."chain_depth", d."is_test", d."attempt", d."suspect", d."epoch",
  b."method", b."url", b."headers", b."body" from d join "_webhook_request" b on b."delivery" = d."id";

-- queue: takeFirst
with q as (select * from json_to_recordset($1) as q("webhook" text collate "C", "limit" bigint, "of" bigint, "place" bigint)),
  c as materialized (select x."id" from q cross join lateral (
    select d."id" from "_webhook_delivery" d
    where d."webhook" = q."webhook" and d."state" = 0 and d."attempt" = 0 and d."due_at" <= (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint))
    and (q."of" = 1 or get_byte(sha256(convert_to(d."order_key", 'UTF8')), 0) % q."of" = q."place") and not exists (select 1 from "_webhook_delivery" p where p."webhook" = d."webhook"
  and p."order_key" = d."order_key" and p."id" < d."id" and p."state" not between 2 and 4 offset 0)
    and exists (select 1 from "Webhook" w where w."name" = q."webhook" and w."enabled" = 1)
    order by d."due_at", d."id" limit q."limit" for update of d skip locked) x),
  d as (update "_webhook_delivery" set "state" = 1, "owner" = $2,
    "epoch" = "epoch" + 1
    where "id" = any(array(select "id" from c))
    returning *)
  select d."due_at", d."id", d."name", d."manual_of", d."webhook", d."event", d."reference_doctype",
  d."order_key", d."seq", d."chain_depth", d."is_test", d."attempt", d."suspect", d."epoch",
  b."method", b."url", b."headers", b."body" from d join "_webhook_request" b on b."delivery" = d."id";

-- queue: settle
with s as (select * from json_to_recordset($1) as s("id" bigint, "epoch" bigint, "outcome" text, "delay" bigint, "next_retry" timestamp(6),
  "modified" timestamp(6), "n" bigint, "started_at" timestamp(6), "duration_ms" bigint, "response_status" bigint,
  "error" text, "response" text, "remote_ip" text, "node" text, "dns_ms" bigint, "connect_ms" bigint, "tls_ms" bigint,
  "ttfb_ms" bigint, "response_headers" text)),
    u as (update "_webhook_delivery" d set
      "state" = case s."outcome" when 'delivered' then 2
        when 'exhausted' then 3 when 'held' then 5 else 0 end,
      "attempt" = d."attempt" + case when s."outcome" in ('refunded', 'held') then 0 else 1 end,
      "due_at" = (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) + s."delay",
      "response_status" = case when s."outcome" in ('refunded', 'held') then d."response_status" else s."response_status" end,
      "error" = case s."outcome" when 'refunded' then d."error" else s."error" end,
      "modified" = s."modified", "next_retry" = s."next_retry",
      "done_at" = case when s."outcome" in ('delivered', 'exhausted') then (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) end,
      "suspect" = 0, "owner" = null, "lease_until" = null
      from s where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1
      returning d."id", d."webhook", d."order_key", s."outcome"),
    a as (insert into "_webhook_attempt" ("delivery", "n", "started_at", "duration_ms", "response_status", "error", "response", "remote_ip", "node", "dns_ms", "connect_ms", "tls_ms", "ttfb_ms", "response_headers")
      select s."id", s."n", s."started_at", s."duration_ms", s."response_status", s."error", s."response", s."remote_ip", s."node", s."dns_ms", s."connect_ms", s."tls_ms", s."ttfb_ms", s."response_headers"
      from s join u on u."id" = s."id" where s."outcome" not in ('refunded', 'held'))
    select u."webhook", u."order_key" from u where u."outcome" in ('delivered', 'exhausted');

-- queue: promote
with f as materialized (select d."id" from "_webhook_delivery" d
      where exists (select 1 from "_webhook_delivery" x where x."state" = 6) and d."state" = 6
      and d."id" = any(array(
        select (select f."id" from "_webhook_delivery" f where f."webhook" = k."webhook" and f."order_key" = k."order_key"
          and f."state" not between 2 and 4 order by f."id" limit 1)
        from json_to_recordset($1) as k("webhook" text collate "C", "order_key" text collate "C")))
      for update of d skip locked)
    update "_webhook_delivery" set "state" = 0, "due_at" = greatest("due_at", (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)))
    where "id" = any(array(select "id" from f)) returning "webhook", "order_key";

-- queue: mark
update "_webhook_delivery" d set "suspect" = s."suspect" from json_to_recordset($1) as s("id" bigint, "epoch" bigint, "suspect" bigint)
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1 returning d."id";

-- queue: release
update "_webhook_delivery" d set "state" = 0, "owner" = null, "lease_until" = null, "suspect" = s."suspect" from json_to_recordset($1) as s("id" bigint, "epoch" bigint, "suspect" bigint)
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1;

-- queue: resume
with w as materialized (select w."name" from "Webhook" w where w."enabled" = 1
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = 5)
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = 0, "due_at" = (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) from w
    where d."webhook" = w."name" and d."state" = 5;

-- queue: releaseAll
update "_webhook_delivery" set "state" = 0, "owner" = null, "lease_until" = null where "state" = 1 and "owner" = $1;

-- queue: hold
with w as materialized (select w."name" from "Webhook" w where w."enabled" = 0
      and ($1::json is null or w."name" in (select value collate "C" from json_array_elements_text($1::json)))
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = 0)
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = 5, "next_retry" = null from w
    where d."webhook" = w."name" and d."state" = 0;

-- queue: strays
select d."id", d."epoch", d."suspect" from "_webhook_delivery" d
    where d."state" = 1 and d."owner" = $1
      and d."id" <> all(array(select cast(value as bigint) from json_array_elements_text(cast($2 as json))));

-- queue: sweep
with h as (with w as materialized (select w."name" from "Webhook" w where w."enabled" = 0
      and (null::json is null or w."name" in (select value collate "C" from json_array_elements_text(null::json)))
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = 0)
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = 5, "next_retry" = null from w
    where d."webhook" = w."name" and d."state" = 0),
    n as (delete from "_webhook_node" where "seen_at" < (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint)) - cast($1 as bigint))
    update "_webhook_delivery" set "state" = 0, "due_at" = (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint))
    where "state" = 6 and not exists (select 1 from "_webhook_delivery" p where p."webhook" = "_webhook_delivery"."webhook"
  and p."order_key" = "_webhook_delivery"."order_key" and p."id" < "_webhook_delivery"."id" and p."state" not between 2 and 4 offset 0);
