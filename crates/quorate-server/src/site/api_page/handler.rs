//! Makes the page of the document.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value as Json;

use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::api_page::page::{ApiField, ApiOperation, ApiPage, ApiPart};

/// `GET /api`: the document as a page.
pub fn show(site: &AppState, visitor: &Visitor, document: &Json) -> Response {
    let page = ApiPage {
        chrome: reply::chrome(site, visitor, "API"),
        parts: parts(document),
    };
    reply::page(site, visitor, StatusCode::OK, &page)
}

fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn items(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

/// The operations under their tags, in the document's order of both.
fn parts(document: &Json) -> Vec<ApiPart> {
    let operations = operations(document);
    let tags = items(&document["tags"]);
    let parts = tags.map(|tag| {
        let of_tag = operations.iter().filter(|(name, _)| *name == tag["name"]);
        ApiPart {
            title: text(&tag["description"]),
            operations: of_tag.map(|(_, operation)| operation.clone()).collect(),
        }
    });
    parts.collect()
}

fn operations(document: &Json) -> Vec<(Json, ApiOperation)> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let content = &operation["requestBody"]["content"]["application/json"];
            let answers = operation["responses"].as_object().into_iter().flatten();
            let summary = [&operation["summary"], &operation["description"]].map(text);
            let made = ApiOperation {
                id: text(&operation["operationId"]),
                method: method.to_uppercase(),
                path: path.clone(),
                about: summary.join(" ").trim().to_owned(),
                is_signed: operation["security"].is_array(),
                parameters: items(&operation["parameters"]).map(parameter).collect(),
                body: fields(document, &content["schema"]),
                answers: answers
                    .map(|(status, answer)| (status.clone(), text(&answer["description"])))
                    .collect(),
            };
            found.push((operation["tags"][0].clone(), made));
        }
    }
    found
}

fn parameter(parameter: &Json) -> ApiField {
    ApiField {
        name: text(&parameter["name"]),
        takes: taken(&parameter["schema"]),
        about: text(&parameter["description"]),
        is_needed: parameter["required"] == true,
    }
}

/// The fields of a schema, which may be named by a reference.
fn fields(document: &Json, schema: &Json) -> Vec<ApiField> {
    let schema = match name_of(schema) {
        Some(name) => &document["components"]["schemas"][name],
        None => schema,
    };
    let needed: Vec<&Json> = items(&schema["required"]).collect();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields = fields.map(|(name, field)| ApiField {
        name: name.clone(),
        takes: taken(field),
        about: text(&field["description"]),
        is_needed: needed.iter().any(|needed| **needed == name.as_str()),
    });
    fields.collect()
}

/// The name of the schema that a reference leads to.
fn name_of(schema: &Json) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// What a schema takes, in a word or two.
fn taken(schema: &Json) -> String {
    if let Some(name) = name_of(schema) {
        return name.to_owned();
    }
    let one = |kind: &str| match kind {
        "string" => "text".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "yes or no".to_owned(),
        "array" => format!("list of {}", taken(&schema["items"])),
        kind => kind.to_owned(),
    };
    if let Some(kind) = schema["type"].as_str() {
        return one(kind);
    }
    // What may be missing has two types, the other being none.
    let kinds = items(&schema["type"]).filter_map(Json::as_str);
    let mut kinds = kinds.filter(|kind| *kind != "null");
    if let Some(kind) = kinds.next() {
        return one(kind);
    }
    let mut others = items(&schema["oneOf"]).filter(|schema| schema["type"] != "null");
    others.next().map_or_else(|| "anything".to_owned(), taken)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_becomes_parts_with_their_operations() {
        let document = json!({
            "tags": [{ "name": "blog", "description": "Posts." }, { "name": "log", "description": "Events." }],
            "paths": { "/api/v1/posts": { "post": {
                "operationId": "post", "summary": "Posts something.", "tags": ["blog"], "security": [{ "token": [] }],
                "parameters": [{ "name": "game", "required": true, "schema": { "type": "string" } }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/NewPost" } } } },
                "responses": { "201": { "description": "It is there." } },
            } } },
            "components": { "schemas": { "NewPost": {
                "required": ["title"],
                "properties": {
                    "title": { "type": "string", "description": "Its title." },
                    "changes": { "type": ["array", "null"], "items": { "$ref": "#/components/schemas/Change" } },
                },
            } } },
        });
        let parts = parts(&document);
        assert_eq!(parts.len(), 2);
        let post = &parts[0].operations[0];
        assert_eq!(
            (post.method.as_str(), post.about.as_str()),
            ("POST", "Posts something.")
        );
        assert!(post.is_signed && post.parameters[0].is_needed);
        let changes = &post.body[0];
        assert_eq!(
            (changes.name.as_str(), changes.takes.as_str()),
            ("changes", "list of Change")
        );
        assert!(!changes.is_needed && post.body[1].is_needed);
        assert_eq!(
            post.answers,
            [("201".to_owned(), "It is there.".to_owned())]
        );
        assert!(parts[1].operations.is_empty());
    }
}
