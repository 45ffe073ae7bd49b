//! error[E0499]: the bytes of an array are read while it becomes a destination.
use reblock::pack::Shape;
use reblock::transport::shm::OwnArray;

pub fn seen(storage: &mut OwnArray, shape: &Shape) -> u8 {
    let bytes = storage.bytes();
    let _written = storage.destination(0, shape);
    bytes[0]
}
