float inner() {
    return unknown_name;
}
