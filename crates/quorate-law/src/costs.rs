//! Which guard stands before what the language brings along: its functions, and the methods of its values.
//!
//! The guards are in [`crate::host::guards`], and what puts them in is [`crate::rewrite`].

/// A function of the language.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    /// The guard of each argument, if it needs one.
    pub(crate) given: &'static str,
    /// The guard of what it gives, if that needs one.
    pub(crate) gives: &'static str,
    /// Whether what it gives is sure to be small.
    pub(crate) is_small: bool,
}

const fn function(name: &'static str, given: &'static str) -> BuiltIn {
    BuiltIn {
        name,
        given,
        gives: "",
        is_small: false,
    }
}

const fn number(name: &'static str, given: &'static str, gives: &'static str) -> BuiltIn {
    BuiltIn {
        name,
        given,
        gives,
        is_small: true,
    }
}

/// The functions of the language, those that only tests may use included.
pub(crate) const BUILT_IN: &[BuiltIn] = &[
    number("abs", "", "__whole"),
    number("all", "__one", ""),
    number("any", "__one", ""),
    number("bool", "", ""),
    number("hash", "__ok", ""),
    number("int", "__digits", "__whole"),
    number("len", "__one", ""),
    function("chr", "__ok"),
    function("dict", "__build"),
    function("dir", "__ok"),
    function("enumerate", "__one"),
    function("fail", "__say"),
    function("float", "__digits"),
    function("getattr", "__ok"),
    function("hasattr", "__ok"),
    function("list", "__one"),
    function("max", "__ok"),
    function("min", "__ok"),
    function("ord", "__ok"),
    function("print", "__say"),
    function("repr", "__say"),
    function("reversed", "__one"),
    function("set", "__build"),
    function("sorted", "__sort"),
    function("str", "__say"),
    function("tuple", "__one"),
    function("type", "__ok"),
    function("zip", "__one"),
];

/// A method of the language's lists, dictionaries, sets and texts.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// The guard of what it is called on, if that needs one.
    pub(crate) on: &'static str,
    /// The guard of each argument, if it needs one.
    pub(crate) given: &'static str,
}

const fn method(name: &'static str, on: &'static str, given: &'static str) -> Method {
    Method { name, on, given }
}

/// All of them, by name: nobody knows before it runs what a method is called on.
pub(crate) const METHODS: &[Method] = &[
    method("add", "", "__ok"),
    method("append", "", ""),
    method("capitalize", "__one", ""),
    method("clear", "", ""),
    method("codepoints", "__build", ""),
    method("count", "__ok", "__ok"),
    method("difference", "__one", "__build"),
    method("discard", "__one", "__ok"),
    method("elems", "__build", ""),
    method("endswith", "__one", "__ok"),
    method("extend", "", "__one"),
    method("find", "__one", "__ok"),
    method("format", "__say", "__say"),
    method("get", "", "__ok"),
    method("index", "__ok", "__ok"),
    method("insert", "__one", ""),
    method("intersection", "__one", "__build"),
    method("isalnum", "__one", ""),
    method("isalpha", "__one", ""),
    method("isdigit", "__one", ""),
    method("isdisjoint", "__one", "__build"),
    method("islower", "__one", ""),
    method("isspace", "__one", ""),
    method("issubset", "__one", "__build"),
    method("issuperset", "__one", "__build"),
    method("istitle", "__one", ""),
    method("isupper", "__one", ""),
    method("items", "__one", ""),
    method("join", "__say", "__say"),
    method("keys", "__one", ""),
    method("lower", "__one", ""),
    method("lstrip", "__one", "__ok"),
    method("partition", "__one", "__ok"),
    // A key that is missing is told with all that is there.
    method("pop", "__ok", "__ok"),
    method("popitem", "__one", ""),
    method("remove", "__ok", "__ok"),
    method("removeprefix", "__one", "__ok"),
    method("removesuffix", "__one", "__ok"),
    method("replace", "__say", "__say"),
    method("rfind", "__one", "__ok"),
    method("rindex", "__one", "__ok"),
    method("rpartition", "__one", "__ok"),
    method("rsplit", "__build", "__ok"),
    method("rstrip", "__one", "__ok"),
    method("setdefault", "", "__ok"),
    method("split", "__build", "__ok"),
    method("splitlines", "__build", ""),
    method("startswith", "__one", "__ok"),
    method("strip", "__one", "__ok"),
    method("symmetric_difference", "__one", "__build"),
    method("title", "__one", ""),
    method("union", "__one", "__build"),
    method("update", "", "__build"),
    method("upper", "__one", ""),
    method("values", "__one", ""),
];

/// A function of the language by its name.
pub(crate) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.name == name)
}

/// A method of the language by its name.
pub(crate) fn method_of(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}
